*** Settings ***
Documentation       The codec refuses bytes: a write that was not acknowledged must never be called done.
Resource            ../resources/truestage.resource
Test Setup          Restore Device
Test Tags           nack


*** Test Cases ***
One Refused Write Is Repaired By A Retry
    [Documentation]    Catches a tool that neither retries nor says so: one NACK on the left channel.
    NACK Write    es8388    DACCONTROL4    times=1
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Detail Should Be    retries    1
    Output Gain Should Be    LOUT1    -20 dB
    Output Gain Should Be    ROUT1    -20 dB

A Left Channel That Never Takes The Volume Is A Failure
    [Documentation]    Catches a confirmation from the driver's memory: the left channel stays where it was.
    NACK Write    es8388    DACCONTROL4
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Detail Should Be    error    nack
    Register Should Be    es8388    DACCONTROL4    0xC0
    Reply Should Match Hardware
    Device Should Still Work

A Right Channel That Never Takes The Volume Is A Failure
    [Documentation]    Catches a tool that checks one channel and speaks for both.
    NACK Write    es8388    DACCONTROL5
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Register Should Be    es8388    DACCONTROL5    0xC0
    Device Should Still Work

Three Refusals Are Within The Retries
    [Documentation]    The article's cure: up to three retries 50 ms apart.
    NACK Write    es8388    DACCONTROL5    times=3
    Call Tool    SetOutputVolume    volume=70
    Stage Should Be    confirmed
    Detail Should Be    retries    3
    Reply Should Come Within    500 ms

Four Refusals Are One Too Many
    [Documentation]    Catches a retry loop without an end, or one that gives up without saying so.
    NACK Write    es8388    DACCONTROL5    times=4
    Call Tool    SetOutputVolume    volume=70
    Stage Should Be    failed
    Detail Should Be    retries    3
    Reply Should Come Within    500 ms
    Device Should Still Work

A Codec That Is Gone Is A Failure In Time
    [Documentation]    Catches a tool that hangs, or answers success, when no chip answers its address.
    NACK Address Of    es8388
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Reply Should Come Within    500 ms
    Device Should Still Work

A Codec That Is Busy Once Is Asked Again
    [Documentation]    A single missed address is repaired, not reported.
    NACK Address Of    es8388    times=1
    Call Tool    SetOutputVolume    volume=25
    Stage Should Be    confirmed
    Output Gain Should Be    LOUT1    -37.5 dB

A Read-Back That Is Refused Confirms Nothing
    [Documentation]    Catches a tool whose writes went well and whose read-back did not happen: the third transfer on.
    NACK Address Of    es8388    skip=2
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Register Should Be    es8388    DACCONTROL4    0x28
    Reply Should Match Hardware
    Device Should Still Work

A Refused Register Pointer Writes Nothing
    [Documentation]    Catches a driver that checks the address byte only.
    NACK Byte    es8388    1
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Register Should Be    es8388    DACCONTROL4    0xC0
    Register Should Be    es8388    DACCONTROL5    0xC0
    Device Should Still Work

A Refused Data Byte Writes Nothing
    [Documentation]    Catches a driver that does not look at the last byte's acknowledge.
    NACK Byte    es8388    2
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Register Should Be    es8388    DACCONTROL5    0xC0
    Device Should Still Work

A Codec That Comes Back In Time Is Confirmed
    [Documentation]    NACKs for 60 ms, as an ES8388 gives them while its clocks settle.
    NACK Address Of    es8388    until=60 ms
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Output Gain Should Be    ROUT1    -20 dB

The Get Tool Fails When The Chip Does Not Answer
    [Documentation]    Catches a get tool that fills in a remembered value.
    Call Tool    SetOutputVolume    volume=60
    NACK Address Of    es8388
    Call Tool    GetOutputVolume
    Stage Should Be    failed
    Detail Should Be    readback    null
    Device Should Still Work

A Display That Refuses Does Not Disturb The Codec
    [Documentation]    Catches an error of one chip that is charged to another.
    NACK Address Of    ssd1306
    Let Time Pass    120 ms
    Call Tool    SetOutputVolume    volume=55
    Stage Should Be    confirmed
    Detail Should Be    retries    0

A Second Channel That Is Missed Once Is Written After All
    [Documentation]    Catches a retry that begins where it broke off and never looks at the first channel again.
    NACK Address Of    es8388    skip=1    times=1
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Detail Should Be    retries    1
    Output Gain Should Be    LOUT1    -20 dB
    Output Gain Should Be    ROUT1    -20 dB

A Failure Does Not Outlive Its Fault
    [Documentation]    Catches a driver that stays in error after a NACK (esp-idf issue 14030).
    NACK Write    es8388    DACCONTROL4
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Clear Faults
    Call Tool    SetOutputVolume    volume=61
    Stage Should Be    confirmed
    Detail Should Be    retries    0
