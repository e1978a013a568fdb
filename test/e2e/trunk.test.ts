import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { needs } from '#test/peers/debian.ts'
import { startExchange, type Exchange } from '#test/service/exchange.ts'
import { startRegistrar } from '#test/peers/kamailio.ts'
import { until } from '#test/machine/peer-process.ts'
import { assertSucceeded, sippSucceeds, startSipp, type Sipp, type SippOptions } from '#test/peers/sipp.ts'

const [carrier, second] = ['127.0.0.2', '127.0.0.3']
const outside = '+498912345678'
const low = 600

/** Eight samples of 1000 Hz in A-law, repeated: the zero crossings, 23170 and 32767. */
const alawTone = Buffer.from(Array.from({ length: 1000 }, () => [0xd5, 0xb8, 0xaa, 0xb8, 0x55, 0x38, 0x2a, 0x38]).flat())

/** Header of the first INVITE; the request line under the name of its method. */
const header = (messages: string, name: string): string | undefined => {
  const invite = /^INVITE [^]*?\r?\n\r?\n/m.exec(messages)?.[0] ?? ''
  return new RegExp(`^${name}:? *(.*)$`, 'im').exec(invite)?.[1]?.trim()
}

test('shows the caller of calls from a carrier', { concurrency: true }, async (t) => {
  if (!(await needs(t, 'sipp', 'baresip'))) return
  const exchange = await startExchange(t)
  await exchange.newTrunk(carrier)

  const callers: [string, string, string, RegExp][] = [
    ['by From', '+4940111222', 'X-Nothing: 1', /\+4940111222@/],
    ['by P-Asserted-Identity rather than From', 'trunk7', 'P-Asserted-Identity: <sip:+4940333444@carrier.example>', /\+4940333444@/],
    ['not, when the caller wishes so', '+4940555666', 'Privacy: id', /^sip:anonymous@/i],
  ]
  const shown = callers.map(([name, from, identity, seen]) =>
    t.test(name, async (t) => {
      const phone = await exchange.newPhone(t, { tone: low })
      const { number } = await exchange.newLine(phone.deviceId)
      const options = { target: exchange.sip, service: number, address: carrier, keys: { from, identity }, more: ['-d', '500'] }
      const call = sippSucceeds(t, { scenario: 'uac-identity', ...options })
      const { peeruri } = await phone.answer()
      await call
      await phone.event('CALL_CLOSED')
      assert.match(peeruri ?? '', seen)
    }),
  )
  const heard = t.test('carries audio from a carrier', async (t) => {
    const phone = await exchange.newPhone(t, { tone: low, answer: 'auto' })
    const { number } = await exchange.newLine(phone.deviceId)
    const options = { target: exchange.sip, service: number, address: carrier, files: { 'tone.al': alawTone }, more: ['-d', '2000'] }
    await sippSucceeds(t, { scenario: 'uac-tone', ...options })
    await phone.hears(1000, 1)
  })
  const byAccount = t.test("routes a carrier's call to its user name by that number, or to the default number", async (t) => {
    const { number } = await exchange.newLine((await exchange.newPhone(t, { tone: low, answer: 'auto' })).deviceId)
    const login = { password: 'Sesam', register: true }
    await exchange.newTrunk('127.0.0.4', { ...login, username: number.slice(1) })
    await exchange.newTrunk('127.0.0.5', { ...login, username: 'account7', defaultNumber: number })
    const calls = { scenario: 'uac', target: exchange.sip, more: ['-d', '200'] }
    await sippSucceeds(t, { ...calls, address: '127.0.0.4', service: number.slice(1) })
    await sippSucceeds(t, { ...calls, address: '127.0.0.5', service: 'account7' })
  })
  await Promise.all([...shown, heard, byAccount])
})

test('places calls to a carrier', async (t) => {
  if (!(await needs(t, 'sipp', 'baresip'))) return
  const exchange = await startExchange(t)
  /** The trunk exists for the duration of one test. */
  const lead = async (t: TestContext, { address }: Sipp, input: Parameters<Exchange['newTrunk']>[1] = {}): Promise<string> => {
    const [host = '', port] = address.split(':')
    const trunkId = await exchange.newTrunk(host, { port: Number(port), ...input })
    t.after(() => exchange.operator.deleteTrunk({ trunkId }))
    return trunkId
  }

  await t.test('sends a number of the account, and carries audio both ways', async (t) => {
    const called: SippOptions = { scenario: 'uas', echo: true, address: carrier }
    const network = await startSipp(t, called)
    const trunkId = await lead(t, network)
    const phone = await exchange.newPhone(t, { tone: low })
    const { number } = await exchange.newLine(phone.deviceId)
    await exchange.admin.setDeviceCallerId({ deviceId: phone.deviceId }, { value: number })

    await phone.dial(`sip:${outside}@${exchange.sip}`)
    await phone.event('CALL_ESTABLISHED')
    await phone.hears(low, 1)
    await phone.hangUp()
    const result = await network.result()
    assertSucceeded(result, called)
    assert.ok(header(result.messages, 'INVITE')?.startsWith(`sip:${outside}@`))
    assert.ok(header(result.messages, 'From')?.includes(`sip:${number}@`), header(result.messages, 'From'))
    assert.ok(header(result.messages, 'P-Asserted-Identity')?.includes(number))
    assert.equal(header(result.messages, 'Privacy'), undefined)
    const found = await until('the operator finds the call', async () => {
      const [call] = (await exchange.operator.searchCalls({ search: outside, trunkId })).items
      return call?.reason === undefined ? undefined : call
    })
    assert.deepEqual([found.from, found.to, found.reason], [number, outside, 'caller_hangup'])
    assert.equal(header(result.messages, 'Max-Forwards'), '69', 'one less than the phone said, so that circles end')
  })

  await t.test('hides the caller on request, but not from the carrier', async (t) => {
    const network = await startSipp(t, { scenario: 'uas-486', address: carrier })
    await lead(t, network)
    const phone = await exchange.newPhone(t, { tone: low })
    await exchange.admin.setDeviceCallerId({ deviceId: phone.deviceId }, { value: 'anonymous' })

    await phone.dial(`sip:${outside}@${exchange.sip}`)
    assert.match((await phone.event('CALL_CLOSED')).param ?? '', /^486/)
    const { messages } = await network.result()
    assert.match(header(messages, 'From') ?? '', /anonymous@anonymous\.invalid/)
    const own = (await exchange.admin.listNumbers()).items.map((one) => one.number)
    assert.ok(own.includes(/sip:(\+\d+)@/.exec(header(messages, 'P-Asserted-Identity') ?? '')?.[1] ?? ''), 'a number of the account')
    assert.equal(header(messages, 'Privacy'), 'id')
  })

  await t.test('takes the next carrier when the first fails', async (t) => {
    const [broken, working]: [SippOptions, SippOptions] = [
      { scenario: 'uas-503', address: carrier },
      { scenario: 'uas', echo: true, address: second },
    ]
    const [first, next] = await Promise.all([startSipp(t, broken), startSipp(t, working)])
    await lead(t, first, { priority: 1 })
    await lead(t, next, { priority: 2 })
    const phone = await exchange.newPhone(t, { tone: low })
    await phone.dial(`sip:${outside}@${exchange.sip}`)
    await phone.event('CALL_ESTABLISHED')
    await phone.hears(low, 0.5)
    await phone.hangUp()
    assertSucceeded(await first.result(), broken)
    assertSucceeded(await next.result(), working)
  })

  await t.test('takes the next carrier when the first answers OPTIONS but drops calls', async (t) => {
    const [swallowing, working]: [SippOptions, SippOptions] = [
      { scenario: 'uas-swallows', address: carrier },
      { scenario: 'uas', echo: true, address: second },
    ]
    const [first, next] = await Promise.all([startSipp(t, swallowing), startSipp(t, working)])
    await lead(t, first, { priority: 1 })
    await lead(t, next, { priority: 2 })
    const phone = await exchange.newPhone(t, { tone: low })
    const dialled = performance.now()
    await phone.dial(`sip:${outside}@${exchange.sip}`)
    await phone.event('CALL_ESTABLISHED')
    assert.ok(performance.now() - dialled < 20_000, 'not after the 32 s that a transaction takes')
    await phone.hangUp()
    assertSucceeded(await next.result(), working)
  })

  await t.test('answers a challenge with name and password', async (t) => {
    const called: SippOptions = { scenario: 'uas-digest', address: carrier, keys: { user: 'account7', password: 'Sesam' } }
    const network = await startSipp(t, called)
    const login = { username: 'account7', password: 'Sesam', realm: 'carrier.example' }
    await lead(t, network, login)
    const phone = await exchange.newPhone(t, { tone: low })
    await phone.dial(`sip:${outside}@${exchange.sip}`)
    await phone.event('CALL_ESTABLISHED')
    await phone.hangUp()
    assertSucceeded(await network.result(), called)
  })

  await t.test('does not follow a redirection', async (t) => {
    const trap = await startSipp(t, { scenario: 'uas', address: second })
    const called: SippOptions = { scenario: 'uas-302', address: carrier, keys: { redirect: `+882999@${trap.address}` } }
    const network = await startSipp(t, called)
    await lead(t, network)
    const phone = await exchange.newPhone(t, { tone: low })
    await phone.dial(`sip:${outside}@${exchange.sip}`)
    assert.match((await phone.event('CALL_CLOSED')).param ?? '', /^[45]\d\d/)
    assertSucceeded(await network.result(), called)
    assert.equal(await trap.messages(), '', 'no call went there')
  })
})

test('registers with a carrier, which then routes calls to us', async (t) => {
  if (!(await needs(t, 'kamailio', 'sipp', 'baresip'))) return
  const login = { user: 'account7', password: 'Sesam', realm: 'carrier.example' }
  const registrar = await startRegistrar(t, { host: carrier, ...login })
  const exchange = await startExchange(t)
  const { user: username, password, realm } = login
  const trunkId = await exchange.newTrunk(carrier, { port: registrar.port, username, password, realm, register: true })
  await until('the registration', () => registrar.log().includes('registered account7'))

  const phone = await exchange.newPhone(t, { tone: low, answer: 'auto' })
  const { number } = await exchange.newLine(phone.deviceId)
  await sippSucceeds(t, { scenario: 'uac', target: registrar.address, service: number, address: carrier, more: ['-d', '300'] })
  await phone.event('CALL_CLOSED')

  const known = registrar.log().length
  await exchange.operator.deleteTrunk({ trunkId })
  await until('the end of the registration', () => /expires=0/.test(registrar.log().slice(known)))
})
