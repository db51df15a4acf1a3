*** Settings ***
Documentation       What a volume tool must do on hardware that works: do it, and say so truly.
Resource            ../resources/truestage.resource
Test Setup          Restore Device
Test Tags           volume


*** Test Cases ***
A Confirmed Volume Is In The Chip
    [Documentation]    Catches a tool that answers once the command is queued: the chip must be there first.
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Detail Should Be    readback    60
    Register Should Be    es8388    DACCONTROL4    0x28
    Register Should Be    es8388    DACCONTROL5    0x28
    Output Gain Should Be    LOUT1    -20 dB
    Output Gain Should Be    ROUT1    -20 dB

The Loudest Volume Is 0 dB
    [Documentation]    Catches the usual driver's hidden gain, which ends the scale before its top.
    Call Tool    SetOutputVolume    volume=100
    Stage Should Be    confirmed
    Output Gain Should Be    LOUT1    0 dB
    Output Gain Should Be    ROUT1    0 dB

Volume Zero Is The Chip's Lowest
    [Documentation]    Catches a scale that treats 0 as one step below 1: it is -96 dB, not -50.
    Call Tool    SetOutputVolume    volume=100
    Call Tool    SetOutputVolume    volume=0
    Stage Should Be    confirmed
    Register Should Be    es8388    DACCONTROL4    0xC0
    Register Should Be    es8388    DACCONTROL5    0xC0

The Softest Audible Volume Is A Step Of Its Own
    [Documentation]    Catches an off-by-one at the bottom: 1 is -49.5 dB.
    Call Tool    SetOutputVolume    volume=1
    Stage Should Be    confirmed
    Output Gain Should Be    LOUT1    -49.5 dB    tolerance=0.1

One Step Of Volume Is Half A Decibel
    [Documentation]    Catches a map that rounds neighbouring volumes into one register value.
    Call Tool    SetOutputVolume    volume=73
    Output Gain Should Be    LOUT1    -13.5 dB    tolerance=0.1
    Call Tool    SetOutputVolume    volume=74
    Output Gain Should Be    LOUT1    -13 dB    tolerance=0.1

The Same Volume Twice Stays True
    [Documentation]    Catches a short cut that skips the chip because a remembered value is equal.
    Call Tool    SetOutputVolume    volume=42
    Call Tool    SetOutputVolume    volume=42
    Stage Should Be    confirmed
    Output Gain Should Be    ROUT1    -29 dB

The Get Tool Reads The Chip
    [Documentation]    Level 4: the state can be asked for later, and comes from the chip.
    Call Tool    SetOutputVolume    volume=35
    Let Time Pass    500 ms
    Call Tool    GetOutputVolume
    Stage Should Be    confirmed
    Detail Should Be    readback    35
    Reply Should Match Hardware

The Get Tool Does Not Answer From Memory
    [Documentation]    Catches a get tool that repeats what was last asked for: the chip kept another value.
    [Tags]    ignore
    Call Tool    SetOutputVolume    volume=35
    Ignore Writes To    es8388    DACCONTROL4
    Ignore Writes To    es8388    DACCONTROL5
    Call Tool    SetOutputVolume    volume=80
    Stage Should Be    failed
    Call Tool    GetOutputVolume
    Detail Should Be    readback    35
    Reply Should Match Hardware

A Reply In Mid-Ramp Names The Target That Will Hold
    [Documentation]    The soft ramp takes its time after the registers hold; the claim is about where it ends.
    Call Tool    SetOutputVolume    volume=100
    Stage Should Be    confirmed
    Let Time Pass    200 ms
    Output Gain Now Should Be    LOUT1    0 dB

A Short Tool Answers Within Half A Heartbeat
    [Documentation]    Catches a synchronous tool that keeps the host waiting past half its ping period.
    Call Tool    SetOutputVolume    volume=50
    Reply Should Come Within    500 ms

Wrong Arguments Change Nothing
    [Documentation]    Catches a tool that clamps a wrong argument into a right one and calls it done.
    Call Tool    SetOutputVolume    volume=20
    Call Tool Unchecked    SetOutputVolume    volume=101
    Stage Should Be    rejected
    Call Tool Unchecked    SetOutputVolume    volume=-1
    Stage Should Be    rejected
    Call Tool Unchecked    SetOutputVolume    volume=loud
    Stage Should Be    rejected
    All Replies Should Match Hardware
    Output Gain Should Be    LOUT1    -40 dB

An Unknown Tool Claims Nothing
    [Documentation]    Catches a server that answers success for a tool it does not have.
    Call Tool Unchecked    SetOutputVolumes    volume=50
    Stage Should Be    rejected
    Register Should Be    es8388    DACCONTROL4    0xC0

The Get Tool Knows The Volume After A Boot
    [Documentation]    Catches a get tool that reports a default which the chip never had.
    Call Tool    GetOutputVolume
    Stage Should Be    confirmed
    Detail Should Be    readback    0
    Register Should Be    es8388    DACCONTROL4    0xC0

A Missing Or Broken Number Is Not A Zero
    [Documentation]    Catches a parser that takes nothing for 0 and cuts 30.5 to 30: the volume must stay.
    Call Tool    SetOutputVolume    volume=20
    Call Tool Unchecked    SetOutputVolume
    Stage Should Be    rejected
    Call Tool Unchecked    SetOutputVolume    volume=30.5
    Stage Should Be    rejected
    All Replies Should Match Hardware
    Output Gain Should Be    LOUT1    -40 dB
