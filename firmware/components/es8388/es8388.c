#include "es8388.h"

#include <stddef.h>

#include "variant.h"

enum {
    CONTROL1 = 0x00,
    CONTROL2 = 0x01,
    CHIPPOWER = 0x02,
    DACPOWER = 0x04,
    MASTERMODE = 0x08,
    DACCONTROL1 = 0x17,
    DACCONTROL2 = 0x18,
    DACCONTROL3 = 0x19,
    LDACVOL = 0x1A, /* DACCONTROL4 */
    RDACVOL = 0x1B, /* DACCONTROL5 */
    DACCONTROL17 = 0x27,
    DACCONTROL20 = 0x2A,
    DACCONTROL21 = 0x2B,
    LOUT1VOL = 0x2E,
    ROUT1VOL = 0x2F,
};

#define MINUS_96_DB 0xC0

typedef struct {
    uint8_t address;
    uint8_t value;
} setting_t;

/* The state machines are held while the path is set up, and muted until the volume is known. */
static const setting_t CONFIGURE[] = {
    {DACCONTROL3, 0x26},  /* reset value 0x22 (soft ramp, 0.5 dB per 4 LRCK) and mute */
    {MASTERMODE, 0x00},   /* I2S slave */
    {CHIPPOWER, 0xF3},    /* state machines and references held */
    {DACCONTROL21, 0x80}, /* one LRCK for ADC and DAC */
    {CONTROL1, 0x05},     /* reference on, VMID divider 50 kOhm */
    {CONTROL2, 0x40},     /* analog part and bias generator on */
    {DACCONTROL1, 0x18},  /* I2S, 16 bits */
    {DACCONTROL2, 0x02},  /* MCLK is 256 LRCK */
    {DACCONTROL17, 0xB8}, /* LDAC to LOUT1's mixer; line input off, at its reset gain */
    {DACCONTROL20, 0xB8}, /* RDAC to ROUT1's mixer, likewise */
    {LOUT1VOL, 0x1E},     /* 0 dB */
    {ROUT1VOL, 0x1E},     /* 0 dB */
    {DACPOWER, 0x30},     /* both DACs, LOUT1 and ROUT1 */
    {CHIPPOWER, 0x00},    /* everything runs */
};

static const setting_t UNMUTE = {DACCONTROL3, 0x22};

static bus_device_t codec;
static bool ready;
static uint8_t remembered[ES8388_CHANNELS] = {MINUS_96_DB, MINUS_96_DB};

static uint8_t volume_register(es8388_channel_t channel)
{
    return channel == ES8388_LEFT ? LDACVOL : RDACVOL;
}

esp_err_t es8388_attach(i2c_port_num_t port, uint32_t scl_hz)
{
    return bus_guard_attach(port, ES8388_ADDRESS, scl_hz, &codec);
}

esp_err_t es8388_start(int volume)
{
    ready = false;
    for (size_t i = 0; i < sizeof CONFIGURE / sizeof *CONFIGURE; i++) {
        esp_err_t error =
            bus_guard_write_register(&codec, CONFIGURE[i].address, CONFIGURE[i].value);
        if (error != ESP_OK) {
            return error;
        }
    }
    esp_err_t error = es8388_set_volume(ES8388_RIGHT, volume);
    if (error == ESP_OK) {
        error = es8388_set_volume(ES8388_LEFT, volume);
    }
    if (error == ESP_OK) {
        error = bus_guard_write_register(&codec, UNMUTE.address, UNMUTE.value);
    }
    ready = error == ESP_OK;
    return error;
}

bool es8388_is_ready(void)
{
    return ready;
}

esp_err_t es8388_set_volume(es8388_channel_t channel, int volume)
{
    uint8_t attenuation = es8388_attenuation_of(volume);
    esp_err_t error = bus_guard_write_register(&codec, volume_register(channel), attenuation);
    remembered[channel] = attenuation;
    return VARIANT.drops_write_errors ? ESP_OK : error;
}

esp_err_t es8388_read_volume(es8388_channel_t channel, uint8_t *attenuation)
{
    return bus_guard_read_register(&codec, volume_register(channel), attenuation);
}

uint8_t es8388_remembered_volume(es8388_channel_t channel)
{
    return remembered[channel];
}

uint8_t es8388_attenuation_of(int volume)
{
    /* From 1 (-49.5 dB) to 100 (0 dB) there are 99 steps of volume and 99 steps of 0.5 dB. */
    return volume == 0 ? MINUS_96_DB : (uint8_t)(100 - volume);
}

int es8388_volume_of(uint8_t attenuation)
{
    if (attenuation == MINUS_96_DB) {
        return 0;
    }
    return attenuation < 100 ? 100 - attenuation : ES8388_VOLUME_NONE;
}
