*** Settings ***
Documentation       The codec acknowledges and does something else: only a real read-back sees it.
Resource            ../resources/truestage.resource
Test Setup          Restore Device
Test Tags           clamp


*** Test Cases ***
A Clamped Left Channel Is Not Confirmed
    [Documentation]    Catches a read-back that is made and not compared: the left attenuation stops at 0x60.
    Clamp Register    es8388    DACCONTROL4    minimum=0x60
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Detail Should Be    error    mismatch
    Output Gain Should Be    LOUT1    -48 dB
    Device Should Still Work

A Clamped Right Channel Is Not Confirmed
    [Documentation]    Catches a comparison of the left channel only.
    Clamp Register    es8388    DACCONTROL5    minimum=0x60
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Detail Should Be    error    mismatch
    Device Should Still Work

A Volume That Cannot Get Softer Is Not Confirmed
    [Documentation]    Catches a comparison that accepts any louder value: the attenuation ends at 0x40.
    Clamp Register    es8388    DACCONTROL4    maximum=0x40
    Clamp Register    es8388    DACCONTROL5    maximum=0x40
    Call Tool    SetOutputVolume    volume=10
    Stage Should Be    failed
    Output Gain Should Be    LOUT1    -32 dB
    Output Gain Should Be    ROUT1    -32 dB

A Clamp That Is Not Reached Does Not Matter
    [Documentation]    Catches a false alarm: the value lies within the limits.
    Clamp Register    es8388    DACCONTROL4    minimum=0x10    maximum=0x50
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Detail Should Be    retries    0

A Write That Is Ignored Is Not Confirmed
    [Documentation]    Catches "acknowledged means done": the chip keeps the old value.
    [Tags]    ignore
    Call Tool    SetOutputVolume    volume=30
    Ignore Writes To    es8388    DACCONTROL4
    Ignore Writes To    es8388    DACCONTROL5
    Call Tool    SetOutputVolume    volume=90
    Stage Should Be    failed
    Output Gain Should Be    LOUT1    -35 dB
    Device Should Still Work

An Ignored Write Of The Value That Is There Is True
    [Documentation]    Catches a tool that calls a target missed although the chip holds it.
    [Tags]    ignore
    Call Tool    SetOutputVolume    volume=30
    Ignore Writes To    es8388    DACCONTROL4
    Call Tool    SetOutputVolume    volume=30
    Stage Should Be    confirmed

One Channel Ignored Leaves The Channels Apart
    [Documentation]    Catches a get tool that reports one channel for both.
    [Tags]    ignore
    Ignore Writes To    es8388    DACCONTROL5
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Call Tool    GetOutputVolume
    Stage Should Be    failed
    Detail Should Be    error    channels_differ

Half A Decibel Off Is Off
    [Documentation]    Catches a comparison with a tolerance: the right channel stops one step short.
    Clamp Register    es8388    DACCONTROL5    minimum=0x29
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    failed
    Register Should Be    es8388    DACCONTROL5    0x29

A Mute That Leaves One Side On Is A Failure
    [Documentation]    Catches a mute that is not compared: the left attenuation ends at 0x60, -48 dB.
    Clamp Register    es8388    DACCONTROL4    maximum=0x60
    Call Tool    SetOutputVolume    volume=50
    Call Tool    SetOutputVolume    volume=0
    Stage Should Be    failed
    Detail Should Be    left    0x60
    Detail Should Be    right    0xC0
    Device Should Still Work

A Register That The Volume Does Not Need Does Not Matter
    [Documentation]    Catches a failure that has nothing to do with the loudness: the left ADC volume is stuck.
    [Tags]    ignore
    Ignore Writes To    es8388    ADCCONTROL8
    Call Tool    SetOutputVolume    volume=60
    Stage Should Be    confirmed
    Output Gain Should Be    LOUT1    -20 dB
