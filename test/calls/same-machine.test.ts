import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { card, isInOwnNetwork, loopback, runInOwnNetwork } from '#test/machine/own-network.ts'
import { startBaresip, type Phone, type PhoneOptions } from '#test/peers/baresip.ts'
import { needs } from '#test/peers/debian.ts'
import { startPjsua } from '#test/peers/pjsua.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'

const addresses = [loopback, card]
const [deskTone, phoneTone] = [600, 1000]

interface Registered {
  phone: Phone
  number: string
}

const register = async (t: TestContext, exchange: Exchange, options: Partial<PhoneOptions>): Promise<Registered> => {
  const { deviceId, user, password } = await exchange.newDevice()
  const phone = await startBaresip(t, { user, password, registrar: exchange.sip, traced: true, ...options })
  await phone.event('REGISTER_OK')
  return { phone, number: (await exchange.newLine(deviceId)).number }
}

/** Asserts two-way audio by tone. */
const talk = async (caller: Phone, callee: Registered, [callerTone, calleeTone]: [number, number], registrar: string): Promise<void> => {
  await caller.dial(`sip:${callee.number}@${registrar}`)
  await callee.phone.answer()
  await Promise.all([caller.event('CALL_ESTABLISHED'), callee.phone.event('CALL_ESTABLISHED')])
  await Promise.all([caller.hears(calleeTone, 1), callee.phone.hears(callerTone, 1)])
  await caller.hangUp()
  await callee.phone.event('CALL_CLOSED')
}

/** Connection addresses in its own and in the service's SDP, from its SIP trace. */
const connectionsOf = (phone: Phone): string[] => [
  ...new Set([...phone.log().matchAll(/^c=IN IP4 (\S+)/gm)].map(([, address]) => address!)),
]

/**
 * baresip binds its RTP socket to no address, so packets to an address of its own machine come from that same address: the one in the service's
 * SDP, `rtp`.
 */
const hearsAndIsHeard = async (t: TestContext, exchange: Exchange, rtp: string): Promise<void> => {
  const desk = await register(t, exchange, { tone: deskTone, listens: rtp, names: rtp })
  for (const sip of addresses)
    for (const named of addresses)
      await t.test(`SIP from ${sip}, SDP names ${named}, RTP from ${rtp}`, async (t) => {
        const phone = await register(t, exchange, { tone: phoneTone, listens: sip, names: named })
        await talk(phone.phone, desk, [phoneTone, deskTone], exchange.sip)
        await talk(desk.phone, phone, [deskTone, phoneTone], exchange.sip)
        assert.deepEqual(new Set(connectionsOf(phone.phone)), new Set([named, rtp]))
      })
}

/** Addresses that pjsua binds and names; undefined is its default. */
const pjsuaNetworks = [
  { listens: undefined, names: undefined },
  ...addresses.flatMap((listens) => addresses.map((names) => ({ listens, names }))),
]

/** pjsua sends back what it hears, so a desk that hears its own tone was heard, and is heard. */
const pjsuaEchoes = async (t: TestContext, exchange: Exchange, at: string): Promise<void> => {
  const desk = await register(t, exchange, { tone: deskTone, listens: at, names: at })
  for (const { listens, names } of pjsuaNetworks)
    await t.test(`pjsua: sockets at ${listens ?? 'no address'}, SDP names ${names ?? 'its choice'}, service at ${at}`, async (t) => {
      const { deviceId, user, password } = await exchange.newDevice()
      const { number } = await exchange.newLine(deviceId)
      const network = { ...(listens !== undefined && { listens }), ...(names !== undefined && { names }) }
      const called = await startPjsua(t, { user, password, registrar: exchange.sip, ...network })
      await desk.phone.dial(`sip:${number}@${exchange.sip}`)
      await desk.phone.event('CALL_ESTABLISHED')
      await desk.phone.hears(deskTone, 1)
      await desk.phone.hangUp()
      await desk.phone.event('CALL_CLOSED')
      if (names !== undefined) assert.match(called.output(), new RegExp(`^o=- \\d+ \\d+ IN IP4 ${names}\\r?$`, 'm'))
      await called.stop()

      await startPjsua(t, { user, password, registrar: exchange.sip, ...network, calls: desk.number })
      await desk.phone.answer()
      await desk.phone.event('CALL_ESTABLISHED')
      await desk.phone.hears(deskTone, 1)
      await desk.phone.hangUp()
      await desk.phone.event('CALL_CLOSED')
    })
}

if (isInOwnNetwork) {
  for (const at of addresses)
    test(`connects pjsua on the machine of a service at ${at}`, async (t) => {
      if (await needs(t, 'pjsua')) await pjsuaEchoes(t, await startExchange(t, { OFFHOOK_SIP: `${at}:0` }), at)
    })

  for (const rtp of addresses)
    test(`connects softphones on the machine of a service at ${rtp}`, async (t) => {
      const exchange = await startExchange(t, { OFFHOOK_SIP: `${rtp}:0` })
      await hearsAndIsHeard(t, exchange, rtp)
    })

  test('connects a softphone with the default network settings of baresip', async (t) => {
    const exchange = await startExchange(t, { OFFHOOK_SIP: '127.0.0.1:5060' })
    const desk = await register(t, exchange, { tone: deskTone })
    const phone = await register(t, exchange, { tone: phoneTone, usesDefaultNetwork: true })
    await talk(phone.phone, desk, [phoneTone, deskTone], exchange.sip)
    await talk(desk.phone, phone, [deskTone, phoneTone], exchange.sip)
    assert.deepEqual(new Set(connectionsOf(phone.phone)), new Set([card, loopback]))
  })
} else {
  test('connects softphones on the service machine with two-way audio, for every address in SIP, SDP and RTP', async (t) => {
    if (await needs(t, 'baresip', 'ip')) await runInOwnNetwork(t, import.meta.filename)
  })
}
