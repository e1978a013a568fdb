import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startTestMedia } from '#test/phones/media-call.ts'
import { startFaxEngine } from '#media/fax/fax-engine.ts'
import { PortPool } from '#media/socket/port-pool.ts'
import { startWebRtc } from '#media/webrtc/webrtc-gateway.ts'
import { realClock } from '#adapters/clock/clocks.ts'
import { LegMaker, OurLegs } from './leg-maker.ts'
import { Sounds } from './sounds.ts'

const peer = { kind: 'udp', address: '198.51.100.7', port: 5060 } as const

const offerOf = async (t: TestContext, host: string, publicIp?: string): Promise<string> => {
  const maker = new LegMaker({
    clock: realClock(),
    transport: { send: () => {}, localAddress: () => ({ host, port: 5060 }) },
    host: { addressesBeside: () => [], interfaces: [] },
    audio: { media: startTestMedia(t), sounds: new Sounds(), recordings: { pathOf: () => '', begun: () => {}, written: async () => {} } },
    vault: { seal: (plain) => plain, open: (sealed) => sealed },
    webrtc: startWebRtc({ mediaAddress: '127.0.0.1' }),
    fax: startFaxEngine({ address: '127.0.0.1', ports: new PortPool({ first: 20_000, last: 29_999 }) }),
    legs: new OurLegs(),
    mayReach: () => false,
    publicIp: () => publicIp,
    onError: (error) => {
      throw error
    },
  })
  return maker.mediaSession('plain', { at: peer, codecs: ['PCMA'] }).offer(20_000)
}

test('offers audio at the address that the far end can reach, never at a name if the address is known', async (t) => {
  assert.match(await offerOf(t, '192.0.2.1'), /^c=IN IP4 192\.0\.2\.1\r$/m)
  assert.match(await offerOf(t, '[2001:db8::1]'), /^c=IN IP6 2001:db8::1\r$/m)
  assert.match(await offerOf(t, 'sip.example.org', '203.0.113.5'), /^c=IN IP4 203\.0\.113\.5\r$/m)
  assert.match(await offerOf(t, 'sip.example.org'), /^c=IN IP4 sip\.example\.org\r$/m)
  assert.match(await offerOf(t, '192.0.2.1', '203.0.113.5'), /^c=IN IP4 192\.0\.2\.1\r$/m, 'neighbours stay inside')
})
