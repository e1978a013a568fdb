import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { test, type TestContext } from 'node:test'
import { writeRtpHeader } from '#media/rtp/rtp.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { startEdge } from '#test/peers/kamailio.ts'
import { until } from '#test/machine/peer-process.ts'
import { secondsOf } from '#test/sound/tones.ts'
import { RtpPhone } from '#test/phones/rtp-phone.ts'
import { SipPhone } from '#test/phones/sip-phone.ts'
import { startBaresip, type Phone } from '#test/peers/baresip.ts'

const [callersTone, calleesTone, strangersTone] = [600, 1000, 2000]
/** SDP address of a softphone that names a different network card than the one it sends from. */
const elsewhere = '127.0.0.3'
const rtpPorts = 16

/** Service with few ports, and a third party that sends a loud tone to all of them from the start. */
const startSprayed = async (t: TestContext, settings: Record<string, string> = {}) => {
  const first = 2 * Math.ceil((await freePorts(t, rtpPorts + 1)) / 2)
  const exchange = await startExchange(t, { OFFHOOK_RTP: `${first}-${first + rtpPorts - 1}`, ...settings })
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.66', resolve))
  t.after(() => void socket.close())
  const outsideNumber = { answers: 0 }
  socket.on('message', () => outsideNumber.answers++)
  const voice = await RtpPhone.open()
  t.after(() => voice.close())
  const packet = Buffer.alloc(172)
  const tone = Int16Array.from({ length: 160 }, (_, i) => 20_000 * Math.sin((2 * Math.PI * strangersTone * i) / 8000))
  voice.codec.encode(tone, packet, 12)
  let sent = 0
  const timer = setInterval(() => {
    writeRtpHeader(packet, 8, false, sent & 0xffff, 160 * sent++, 666)
    for (let port = first; port < first + rtpPorts; port++) socket.send(Buffer.from(packet), port, '127.0.0.1')
  }, 20)
  t.after(() => clearInterval(timer))
  return { exchange, stranger: outsideNumber }
}

/** Both hear each other, neither hears the third party, and the third party receives nothing. */
const talk = async (sip: string, [caller, callee]: [Phone, Phone], number: string, outsideNumber: { answers: number }): Promise<void> => {
  await caller.dial(`sip:${number}@${sip}`)
  await callee.answer()
  await Promise.all([caller.hears(calleesTone, 2), callee.hears(callersTone, 2)])
  for (const phone of [caller, callee]) {
    const heard = (await phone.heard()).at(-1)
    assert.ok(secondsOf(heard?.channels[0] ?? new Float32Array(), heard?.rate ?? 8000, strangersTone) < 0.1)
  }
  assert.equal(outsideNumber.answers, 0)
  await caller.hangUp()
}

test('connects softphones whose SDP names another address, and ignores a third party at the RTP ports', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const { exchange, stranger: outsideNumber } = await startSprayed(t)
  const caller = await exchange.newPhone(t, { tone: callersTone, names: elsewhere })
  const callee = await exchange.newPhone(t, { tone: calleesTone, names: elsewhere })
  const { number } = await exchange.newLine(callee.deviceId)
  await talk(exchange.sip, [caller, callee], number, outsideNumber)
})

test('does the same behind our proxy, which reports the source address', async (t) => {
  if (!(await needs(t, 'baresip', 'kamailio'))) return
  const { exchange, stranger: outsideNumber } = await startSprayed(t, { OFFHOOK_SIP_TRUSTED: '127.0.0.5' })
  const edge = await startEdge(t, { host: '127.0.0.5', service: exchange.sip })
  const register = async (tone: number) => {
    const { deviceId, user, password } = await exchange.newDevice()
    const phone = await startBaresip(t, { user, password, registrar: edge.address, tone, names: elsewhere })
    await phone.event('REGISTER_OK')
    return { phone, deviceId }
  }
  const caller = await register(callersTone)
  const callee = await register(calleesTone)
  const { number } = await exchange.newLine(callee.deviceId)
  await talk(edge.address, [caller.phone, callee.phone], number, outsideNumber)
})

test('reports sound from a third address in the call, at its device and in the log', async (t) => {
  const exchange = await startExchange(t, { OFFHOOK_LOG: 'warn' })
  const { deviceId, user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  const sdp = phone.sdp()
  await phone.rtp.move('127.0.0.9')
  const call = phone.call(exchange.demoNumber, { sdp })
  await call.answered
  const trouble = await until('the note at the device', async () => (await exchange.admin.getDeviceSound({ deviceId })).trouble)
  assert.equal(trouble.state, 'unknown_source')
  const { items } = await exchange.admin.getTimeline({ callId: trouble.callId })
  const sounds = items.flatMap((entry) => (entry.kind === 'sound' ? [[entry.state, entry.of, entry.deviceId]] : []))
  assert.deepEqual(sounds.at(-1), ['unknown_source', 'caller', deviceId])
  const { written } = exchange.program
  await until('the line in the log', () => /"event":"phone_audio_missing".*"state":"unknown_source"/.test(written.stderr))
  assert.ok(!written.stderr.includes('127.0.0.9'), 'the log names no addresses')
  await call.session.end()
})

test('reports 10 % packet loss at the end of the call and explains it', async (t) => {
  const exchange = await startExchange(t)
  const { deviceId, user, password } = await exchange.newDevice()
  const phone = await SipPhone.open(t, { server: exchange.sip, user, password })
  phone.rtp.loses = (sequence) => sequence % 10 === 0
  const call = phone.call(exchange.demoNumber)
  await call.answered
  const callId = await until('the call', async () => (await exchange.admin.listCalls()).data[0]?.callId)
  const before = phone.rtp.sent
  await phone.rtp.until(() => phone.rtp.sent - before >= 200, 'four seconds of sound')
  await call.session.end()
  const quality = await until('how it was heard', async () => {
    const { items } = await exchange.admin.getTimeline({ callId })
    return items.find((entry) => entry.kind === 'quality')
  })
  const { of, packetsReceived, packetsLost, worst } = quality
  assert.deepEqual([of, quality.deviceId], ['caller', deviceId])
  const percent = (100 * packetsLost) / (packetsReceived + packetsLost)
  assert.ok(percent > 8 && percent < 12 && worst && worst.lossPercent >= 8, `${percent} % of ${packetsReceived}`)
  const { findings } = await exchange.admin.explainCall({ callId })
  const found = findings.find(({ code }) => code === 'packet_loss')
  assert.match(found?.text ?? '', /packets of the caller/)
  assert.ok(found?.severity !== 'info')
})
