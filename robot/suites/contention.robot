*** Settings ***
Documentation       Others want the bus too: another master, a shorted line, the display.
Resource            ../resources/truestage.resource
Test Setup          Restore Device
Test Tags           contention


*** Test Cases ***
A Rival That Talks Half The Time Is Waited For
    [Documentation]    Catches a driver that takes a busy bus for an error.
    [Tags]    load
    Load Bus With    50%
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Device Should Still Work

A Rival That Talks Nearly Always Never Makes A Liar
    [Documentation]    Catches success without a write: 95 % of the bus is taken.
    [Tags]    load
    Load Bus With    95%    period=20 ms
    Call Tool    SetOutputVolume    volume=60
    Reply Should Match Hardware
    Reply Should Come Within    500 ms
    Device Should Still Work

A Bus Held Shorter Than The Time-out Is Survived
    [Documentation]    Catches a time-out that was guessed too short: 30 ms are nothing to a listener.
    [Tags]    hold
    Hold Bus For    30 ms
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed

A Bus Held Longer Than The Time-out Is A Failure In Time
    [Documentation]    Catches a tool that waits for ever, or gives up and says it was done.
    [Tags]    hold
    Hold Bus For    1 s
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Reply Should Come Within    500 ms
    Register Should Be    es8388    DACCONTROL4    0xC0
    Let Time Pass    1 s
    Device Should Still Work

A Command Given Up Is Not Carried Out Behind The Caller's Back
    [Documentation]    Catches a write that comes after "failed": the volume must not change when the bus is free again.
    [Tags]    hold
    Hold Bus For    1 s
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Let Time Pass    2 s
    Register Should Be    es8388    DACCONTROL4    0xC0
    Register Should Be    es8388    DACCONTROL5    0xC0

SCL Shorted In Mid-Transfer Is Recovered From
    [Documentation]    Catches a driver that cannot get out of a stretched clock: shorted 1.7 ms after the request.
    [Tags]    hold
    Hold Bus For    30 ms    by=SCL    after=1.7 ms
    Call Tool    SetOutputVolume    volume=60
    Reply Should Match Hardware
    Device Should Still Work

SDA Shorted For A While Is Recovered From
    [Documentation]    Catches a driver that reads a shorted SDA as an acknowledge: everything looks ACKed.
    [Tags]    hold
    Hold Bus For    30 ms    by=SDA
    Call Tool    SetOutputVolume    volume=60
    Reply Should Match Hardware
    Device Should Still Work
    Bus Should Be Idle

SDA Shorted Under The Data Byte Is Not Believed
    [Documentation]    Catches trust in an acknowledge that is a short: SDA goes low within the first write.
    [Tags]    hold
    Hold Bus For    5 ms    by=SDA    after=1.8 ms
    Call Tool    SetOutputVolume    volume=60
    Reply Should Match Hardware
    Device Should Still Work

SDA Shorted For Good Ends In A Failure
    [Documentation]    Catches a false success on a dead bus, and a device that does not come back afterwards.
    [Tags]    hold
    Hold Bus For    2 s    by=SDA
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Reply Should Come Within    500 ms
    Let Time Pass    2 s
    Device Should Still Work

A Burst Beside The Display Keeps Every Sequence Whole
    [Documentation]    Catches interleaved sequences: the display draws pages of 130 bytes between the volumes.
    Call Tool In Burst    SetOutputVolume    volume=20..34
    All Replies Should Match Hardware
    Replies With Stage Should Be    confirmed    15
    Output Gain Should Be    LOUT1    -33 dB

A Rival And Refused Writes Together
    [Documentation]    Catches a retry that counts on a quiet bus.
    [Tags]    load    nack
    Load Bus With    40%
    NACK Write    es8388    DACCONTROL5    times=2
    Call Tool    SetOutputVolume    volume=64
    Reply Should Match Hardware
    Device Should Still Work

SCL Shorted For Good Ends In A Failure
    [Documentation]    Catches a driver that waits for ever for a clock that somebody keeps low.
    [Tags]    hold
    Hold Bus For    1 s    by=SCL
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Reply Should Come Within    500 ms
    Device Should Still Work
