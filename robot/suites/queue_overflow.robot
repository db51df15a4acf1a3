*** Settings ***
Documentation       More commands than the queue holds: refused ones must say so, taken ones must be done.
Resource            ../resources/truestage.resource
Test Setup          Restore Device
Test Tags           queue


*** Test Cases ***
A Burst Of Four Is Done In Order
    [Documentation]    Catches a tool that answers when the command is queued: each reply waits for its own write.
    Call Tool In Burst    SetOutputVolume    volume=10, 20, 30, 40
    Replies With Stage Should Be    confirmed    4
    All Replies Should Match Hardware
    Output Gain Should Be    LOUT1    -30 dB

A Burst Of Ten Loses Nothing
    [Documentation]    The article's figures: a queue of 4 gave false successes here; 16 with back-pressure gives none.
    Call Tool In Burst    SetOutputVolume    volume=11..20
    Replies With Stage Should Be    confirmed    10
    All Replies Should Match Hardware
    Output Gain Should Be    ROUT1    -40 dB

A Burst Of Ten Behind A Held Bus Is Still Honest
    [Documentation]    Catches successes given while nothing can be written: the bus is held for 30 ms.
    [Tags]    hold
    Hold Bus For    30 ms
    Call Tool In Burst    SetOutputVolume    volume=41..50
    All Replies Should Match Hardware
    Device Should Still Work

A Full Queue Answers Busy
    [Documentation]    Catches a queue without back-pressure: with fewer than 2 free slots a call is refused.
    [Tags]    hold
    Hold Bus For    100 ms
    Call Tool In Burst    SetOutputVolume    volume=1..40
    Replies With Stage Should Be At Least    busy    16
    Replies With Stage Should Be At Least    confirmed    10
    All Replies Should Match Hardware
    Device Should Still Work

A Refused Command Is Never Carried Out Later
    [Documentation]    Catches "busy" for a command that was queued all the same.
    [Tags]    hold
    Hold Bus For    100 ms
    Call Tool In Burst    SetOutputVolume    volume=60..99
    Let Time Pass    500 ms
    All Replies Should Match Hardware

The Server Answers In Time Under A Flood
    [Documentation]    Catches a reply that waits behind the whole queue for longer than the host's patience.
    [Tags]    hold
    Hold Bus For    100 ms
    Call Tool In Burst    SetOutputVolume    volume=1..30
    All Replies Should Come Within    600 ms
    All Replies Should Match Hardware

Reads And Writes In One Burst Do Not Mix
    [Documentation]    Catches a reply that carries another call's result.
    Call Tool In Burst    GetOutputVolume    times=10
    Replies With Stage Should Be    confirmed    10
    All Replies Should Match Hardware

The Last Accepted Command Wins
    [Documentation]    Catches a queue that reorders: 1 is served, 15 of 16 slots fill, the rest is busy.
    [Tags]    hold
    Hold Bus For    100 ms
    Call Tool In Burst    SetOutputVolume    volume=1..40
    Replies With Stage Should Be    confirmed    16
    Replies With Stage Should Be    busy    24
    Call Tool    GetOutputVolume
    Detail Should Be    readback    16
    All Replies Should Match Hardware

Busy Is Said At Once
    [Documentation]    Catches back-pressure that makes the caller wait for its turn before it is refused.
    [Tags]    hold
    Hold Bus For    300 ms
    Call Tool In Burst    SetOutputVolume    volume=1..18
    Stage Should Be    busy
    Reply Should Come Within    50 ms

Questions Need Room In The Queue Too
    [Documentation]    Catches a get tool that goes round the queue and answers from memory when it is full.
    [Tags]    hold
    Hold Bus For    100 ms
    Call Tool In Burst    GetOutputVolume    times=20
    Replies With Stage Should Be    busy    4
    All Replies Should Match Hardware
    Device Should Still Work

A Burst Against A Codec That Refuses Fails As A Whole
    [Documentation]    Catches queued commands that are confirmed although each one's write is refused.
    [Tags]    nack
    NACK Write    es8388    DACCONTROL4
    Call Tool In Burst    SetOutputVolume    volume=10, 20, 30
    Replies With Stage Should Be    failed    3
    All Replies Should Match Hardware
    Device Should Still Work
