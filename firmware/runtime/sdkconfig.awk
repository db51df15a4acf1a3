# Turns CONFIG_X=y, CONFIG_X=number and CONFIG_X="string" lines into C definitions.
# A later line wins; CONFIG_X=n removes; a log level chosen by name becomes its number.
BEGIN {
    split("NONE ERROR WARN INFO DEBUG VERBOSE", level_names, " ")
    for (i in level_names) levels["CONFIG_LOG_DEFAULT_LEVEL_" level_names[i]] = i - 1
    print "/* Generated from the sdkconfig files; do not edit. */\n#pragma once\n"
}
/^CONFIG_[A-Za-z0-9_]+=/ {
    name = substr($0, 1, index($0, "=") - 1)
    value = substr($0, index($0, "=") + 1)
    if (!(name in values)) order[++count] = name
    values[name] = value == "y" ? 1 : value
    if (value == "y" && name in levels) {
        values["CONFIG_LOG_DEFAULT_LEVEL"] = levels[name]
        values["CONFIG_LOG_MAXIMUM_LEVEL"] = levels[name]
    }
}
END {
    for (i = 1; i <= count; i++)
        if (values[order[i]] != "n") print "#define " order[i] " " values[order[i]]
}
