import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '#test/store/databases.ts'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { freePorts } from '#test/machine/free-ports.ts'
import { sipp, sippSucceeds } from '#test/peers/sipp.ts'
import { scan } from '#test/peers/sipvicious.ts'
import { peakOf } from '#test/sound/tones.ts'

test('withstands scanners and password guessing', { concurrency: true }, async (t) => {
  if (!(await needs(t, 'svmap', 'svwar', 'svcrack', 'sipp'))) return
  const exchange = await startExchange(t, { OFFHOOK_SIP_LIMIT_LOOPBACK: 'on' })
  await Promise.all([
    t.test('reveals nothing to scanners', { concurrency: true }, (t) => scanAll(t, exchange)),
    t.test('bans an address after ten guesses, and no other', (t) => guessPasswords(t, exchange)),
  ])
})

const scanAll = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const port = exchange.sip.split(':')[1] ?? ''

  const map = t.test('is not found by svmap', async (t) => {
    assert.match(await scan(t, 'svmap', ['-p', port, '-b', '127.0.0.61', '127.0.0.1']), /found nothing/)
  })
  const war = (['REGISTER', 'INVITE', 'OPTIONS'] as const).map((method, index) =>
    t.test(`reveals no extension to svwar by ${method}`, async (t) => {
      const from = ['-b', `127.0.0.${62 + index}`]
      const wanted = ['-m', method, '-e', '100-199', '--force', '-t', '0.01', '--maximumtime', '3']
      const found = await scan(t, 'svwar', ['-p', port, ...from, ...wanted, '127.0.0.1'])
      assert.doesNotMatch(found, /reqauth|noauth|\bweird\b.*\|/)
    }),
  )
  const crack = t.test('reveals no password to svcrack, not even the right one', async (t) => {
    const { user, password } = await exchange.newDevice()
    const dictionary = join(await temporaryFolder(t), 'dictionary')
    await writeFile(dictionary, [...Array.from({ length: 10 }, (_, index) => `guess${index}`), password, ''].join('\n'))
    const wanted = ['-u', user, '-d', dictionary, '-t', '0.01', '--maximumtime', '1']
    const found = await scan(t, 'svcrack', ['-p', port, '-b', '127.0.0.65', ...wanted, '127.0.0.1'])
    assert.ok(!found.includes(password), found)
  })
  await Promise.all([map, ...war, crack])
}

const guessPasswords = async (t: TestContext, exchange: Exchange): Promise<void> => {
  const { user, password } = await exchange.newDevice()
  const keys = { from: user, domain: exchange.sip, contact: `sip:${user}@127.0.0.66`, expires: '60' }
  const registers = { scenario: 'phone-register', target: exchange.sip, keys }
  const guess = { ...registers, address: '127.0.0.66', login: { user, password: 'wrong' } }
  const guesses = await sipp(t, { ...guess, calls: 10, rate: 4, more: ['-recv_timeout', '10000'] })
  assert.deepEqual([guesses.succeeded, guesses.failed], [0, 10])
  // The eleventh is rejected unchecked, the twelfth gets no response.
  const soon = { ...guess, more: ['-recv_timeout', '2000'] }
  const ignored = await sipp(t, { ...soon, calls: 2, rate: 4 })
  assert.deepEqual([ignored.succeeded, ignored.failed], [0, 2])
  const answers = [...ignored.messages.matchAll(/message received \[\d+\] bytes :\s+SIP\/2\.0 40[13]/g)].length
  assert.ok(answers <= 2, `${answers} answers to guesses`)

  const login = { user, password }
  const late = await sipp(t, { ...soon, login })
  assert.deepEqual([late.succeeded, late.failed], [0, 1], 'the right password comes too late')
  await sippSucceeds(t, { ...registers, address: '127.0.0.67', login })
}

const callers = 20
const packetsPerSecond = 1000
const [ownTone, foreignTone] = [600, 3300]

test('ignores RTP that a third party sends to the ports of calls', async (t) => {
  if (!(await needs(t, 'baresip'))) return
  const ports = callers * 4
  const first = await freePorts(t, ports)
  const exchange = await startExchange(t, { OFFHOOK_RTP: `${first}-${first + ports - 1}` })
  const attack = await spray(t, first, ports)

  const phones = await Promise.all(Array.from({ length: callers }, () => exchange.newPhone(t, { tone: ownTone, answer: 'auto' })))
  const [calling, called] = [phones.slice(0, callers / 2), phones.slice(callers / 2)]
  await Promise.all(calling.map((phone, index) => phone.dial(`sip:${called[index]?.deviceId}@${exchange.sip}`)))
  await Promise.all(phones.map((phone) => phone.event('CALL_ESTABLISHED')))
  await Promise.all(phones.map((phone) => phone.hears(ownTone, 3)))
  const { sent, received } = attack()
  for (const phone of phones) {
    const [wav] = await phone.heard()
    const heard = peakOf(wav?.channels[0] ?? new Float32Array(), wav?.rate ?? 0, foreignTone)
    assert.ok(heard < 0.05, `${phone.user} hears ${heard} of the foreign tone`)
  }
  await Promise.all(calling.map((phone) => phone.hangUp()))
  assert.ok(sent > ports * 10, `${sent} packets were sprayed`)
  assert.equal(received, 0, 'packets came back to the attacker')
})

/** Sends a tone as A-law RTP to all ports in turn, from an address outside of all calls. */
const spray = async (t: TestContext, first: number, ports: number): Promise<() => { sent: number; received: number }> => {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.66')
  await once(socket, 'listening')
  let [sent, received] = [0, 0]
  socket.on('message', () => received++)
  socket.on('error', () => {})
  const intervalMs = 10
  const timer = setInterval(() => {
    for (let i = 0; i < (packetsPerSecond * intervalMs) / 1000; i++) {
      const turn = Math.floor(sent / ports)
      socket.send(foreignPacket(turn), first + (sent % ports), '127.0.0.1')
      sent++
    }
  }, intervalMs)
  t.after(() => {
    clearInterval(timer)
    socket.close()
  })
  return () => ({ sent, received })
}

const frame = 160

const foreignPacket = (sequence: number): Buffer => {
  const packet = Buffer.alloc(12 + frame)
  packet.writeUInt16BE(0x8008, 0)
  packet.writeUInt16BE(sequence & 0xffff, 2)
  packet.writeUInt32BE(sequence * frame, 4)
  packet.writeUInt32BE(0xbad, 8)
  for (let i = 0; i < frame; i++) packet[12 + i] = Math.sin((2 * Math.PI * foreignTone * i) / 8000) > 0 ? 0xaa : 0x2a
  return packet
}
