import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases } from '#test/store/databases.ts'
import { edgeFlow, from, openOffice, Phone } from '#test/phones/sip-office.ts'
import { situate } from '#core/account/devices/situation.ts'
import { StoreUnavailable } from '#core/kernel/ports/store/index.ts'
import type { HeaderLines } from '@offhook/sip/message/build.ts'
import type { Response } from '@offhook/sip/message/message.ts'
import type { Flow } from '@offhook/sip/transport/transport.ts'
import { DeviceAuthenticator, Edge } from '../guard/authenticate.ts'
import { SourceFilter } from '../guard/source-filter.ts'
import { Registrar } from './registrar.ts'

const contactsOf = (response: Response): string[] => response.list('contact').toSorted()

for (const database of databases) {
  test(`${database}: a phone registers, is online, refreshes, and expires`, async (t) => {
    const { clock, store, phone, accountId, deviceId } = await openOffice(t, database)
    const headers: HeaderLines = [
      ['Expires', '120'],
      ['User-Agent', 'Phone 1.0'],
    ]
    const answer = await phone.register({ contacts: ['"Ada" <sip:ada@10.0.0.1:5062;ob>;q=0.7'], headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(contactsOf(answer), ['<sip:ada@10.0.0.1:5062;ob>;expires=120;q=0.7'])
    assert.equal(answer.header('date'), new Date(clock.now()).toUTCString())
    const device = await store.read.devices.find(accountId, deviceId)
    const online = async () => (await situate(store.read, { clock, phonePages: { views: () => [] } }, accountId, [device!]))[0]![1]
    const { online: isOnline, registrations } = await online()
    assert.equal(isOnline, true)
    assert.deepEqual(
      registrations.map(({ ip, port, transport, userAgent, contact }) => ({ ip, port, transport, userAgent, contact })),
      [{ ip: '192.0.2.7', port: 5070, transport: 'udp', userAgent: 'Phone 1.0', contact: 'sip:ada@10.0.0.1:5062;ob' }],
    )
    await clock.advance(100_000)
    const other: Flow = { kind: 'tcp', address: '192.0.2.8', port: 40_000 }
    assert.equal((await phone.register({ contacts: ['<sip:ada@10.0.0.1:5062;ob>'], headers, from: other })).status, 200)
    await clock.advance(100_000)
    assert.deepEqual(contactsOf(await phone.register()), ['<sip:ada@10.0.0.1:5062;ob>;expires=20'])
    assert.equal((await online()).registrations[0]?.ip, '192.0.2.8')
    await clock.advance(20_000)
    assert.deepEqual(contactsOf(await phone.register()), [])
    assert.equal((await online()).online, false)
  })

  test(`${database}: registers several contacts, removes one, removes all`, async (t) => {
    const { phone, bound } = await openOffice(t, database)
    const added = await phone.register({ contacts: ['<sip:a@10.0.0.1>, <sip:b@10.0.0.1>;expires=60', '<sip:c@10.0.0.1>'] })
    assert.deepEqual(contactsOf(added), ['<sip:a@10.0.0.1>;expires=3600', '<sip:b@10.0.0.1>;expires=60', '<sip:c@10.0.0.1>;expires=3600'])
    await phone.register({ contacts: ['<sip:b@10.0.0.1>;expires=0', '<sip:nobody@10.0.0.1>;expires=0'] })
    assert.deepEqual(await bound(), ['sip:a@10.0.0.1', 'sip:c@10.0.0.1'])
    assert.equal((await phone.register({ contacts: ['*'] })).status, 400)
    assert.equal((await phone.register({ contacts: ['*', '<sip:a@10.0.0.1>'], headers: [['Expires', '0']] })).status, 400)
    assert.equal((await bound()).length, 2)
    const none = await phone.register({ contacts: ['*'], headers: [['Expires', '0']] })
    assert.deepEqual([none.status, contactsOf(none)], [200, []])
    assert.deepEqual(await bound(), [])
  })

  test(`${database}: an overtaken request changes no contact, not even in part`, async (t) => {
    const { phone, bound } = await openOffice(t, database)
    assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'], cseq: 10 })).status, 200)
    for (const late of [
      { contacts: ['<sip:a@10.0.0.1>'], cseq: 10 },
      { contacts: ['<sip:b@10.0.0.1>', '<sip:a@10.0.0.1>'], cseq: 9 },
      { contacts: ['<sip:a@10.0.0.1>;expires=0'], cseq: 10 },
      { contacts: ['*'], headers: [['Expires', '0']] as const, cseq: 3 },
    ])
      assert.equal((await phone.register(late)).status, 500)
    assert.deepEqual(await bound(), ['sip:a@10.0.0.1'])
    const restarted = await phone.register({ contacts: ['<sip:a@10.0.0.1>;expires=0'], cseq: 1, callId: 'c2' })
    assert.equal(restarted.status, 200)
    assert.deepEqual(await bound(), [])
  })

  test(`${database}: stores the Path, and returns it to phones that support it`, async (t) => {
    const { phone, store, clock, accountId, deviceId } = await openOffice(t, database)
    const path = '<sip:edge1.example;lr>, <sip:edge2.example;lr>'
    const silent = await phone.register({ contacts: ['<sip:a@10.0.0.1>'], headers: [['Path', path]] })
    assert.equal(silent.header('path'), undefined)
    const notified = await phone.register({
      contacts: ['<sip:a@10.0.0.1>'],
      headers: [
        ['Path', '<sip:edge1.example;lr>'],
        ['Path', '<sip:edge2.example;lr>'],
        ['Supported', 'timer, path'],
      ],
    })
    assert.equal(notified.header('path'), path)
    const found = (await store.read.devices.registrations(accountId, [deviceId], clock.now())).get(deviceId)
    assert.deepEqual(
      found?.map((one) => one.path),
      [path],
    )
  })
}

test('rejects short expiries, cuts long ones, and treats unreadable ones as an hour', async (t) => {
  const { phone, bound } = await openOffice(t)
  const short = await phone.register({ contacts: ['<sip:a@10.0.0.1>;expires=59'] })
  assert.deepEqual([short.status, short.header('min-expires')], [423, '60'])
  assert.deepEqual(await bound(), [])
  const times = [
    ['60', '60'],
    ['3600', '3600'],
    ['86400', '3600'],
    ['4294967296', '3600'],
    ['soon', '3600'],
  ]
  for (const [asked, given] of times) {
    const answer = await phone.register({ contacts: [`<sip:a@10.0.0.1>;expires=${asked}`], headers: [['Expires', '1000']] })
    assert.deepEqual(contactsOf(answer), [`<sip:a@10.0.0.1>;expires=${given}`])
  }
})

test('treats equivalent contacts as the same', async (t) => {
  const { phone, bound } = await openOffice(t)
  await phone.register({ contacts: ['<sip:a@Phone.Example:5060;transport=udp>'] })
  await phone.register({ contacts: ['<sip:a@phone.example:5060;Transport=UDP>'] })
  assert.deepEqual(await bound(), ['sip:a@Phone.Example:5060;transport=udp'])
})

test('a phone with a new address each time does not accumulate contacts', async (t) => {
  const { phone, bound, clock } = await openOffice(t)
  for (let port = 1; port <= 14; port++) {
    assert.equal((await phone.register({ contacts: [`<sip:a@10.0.0.1:${1000 + port}>`] })).status, 200)
    await clock.advance(1_000)
  }
  assert.equal((await bound()).length, 10)
  assert.equal((await bound())[0], 'sip:a@10.0.0.1:1005')
  const many = Array.from({ length: 11 }, (_, n) => `<sip:a@10.0.0.2:${2000 + n}>`)
  assert.equal((await phone.register({ contacts: many })).status, 400)
})

test('a device registers only for itself; malformed requests get 400', async (t) => {
  const { phone, bound } = await openOffice(t)
  assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'], to: '<sip:1234567e9@offhook>' })).status, 403)
  assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'], to: '<sip:offhook>' })).status, 403)
  for (const contact of ['<tel:+4930123>', '<sip:a@[::1>', '<sip:a@b:99999>'])
    assert.equal((await phone.register({ contacts: [contact] })).status, 400, contact)
  assert.equal((await phone.register({ contacts: ['<mailto:a@b>'] })).status, 416)
  assert.deepEqual(await bound(), [])
})

test('answers do not reveal whether a user exists', async (t) => {
  const { registrar, phone, accountId } = await openOffice(t)
  const shape = (response: Response): unknown => [
    response.status,
    response.lines('www-authenticate').map((line) => line.replace(/nonce="[^"]*"/, '')),
    response.toTag,
  ]
  const known = new Phone(registrar, phone.username, 'wrong')
  const unknown = new Phone(registrar, `${accountId}e99`, 'wrong')
  const first = [await known.say(), await unknown.say()] as const
  assert.deepEqual(shape(first[0]), shape(first[1]))
  assert.equal(first[0].status, 401)
  assert.deepEqual(
    first[0].lines('www-authenticate').map((line) => /algorithm=(\S+)/.exec(line)?.[1]?.replace(',', '')),
    ['SHA-256', 'MD5'],
  )
  known.digest.challenged(first[0])
  unknown.digest.challenged(first[1])
  const contacts = ['<sip:a@10.0.0.1>']
  const second = [await known.say({ contacts }), await unknown.say({ contacts })] as const
  assert.deepEqual(shape(second[0]), shape(second[1]))
  assert.deepEqual(shape(second[0]), shape(first[0]))
})

test('challenges a used or old response again as stale; phones continue by themselves', async (t) => {
  const { phone, clock } = await openOffice(t)
  assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'] })).status, 200)
  await clock.advance(61_000)
  const stale = await phone.say()
  assert.equal(stale.status, 401)
  assert.match(stale.header('www-authenticate') ?? '', /stale=true/)
  assert.equal(phone.digest.challenged(stale), true)
  const captured = phone.digest.authorization('REGISTER', 'sip:offhook')
  const other = new Phone(phone.registrar, phone.username, '')
  assert.equal((await other.say({ headers: captured })).status, 200)
  const replayed = await other.say({ headers: captured, contacts: ['<sip:thief@203.0.113.1>'] })
  assert.equal(replayed.status, 401)
  assert.match(replayed.header('www-authenticate') ?? '', /stale=true/)
})

test('challenges a request without credentials or with a foreign nonce without a database lookup', async (t) => {
  const looked: string[] = []
  const { phone } = await openOffice(t, 'sqlite', (store) => {
    const findBySipUsername = (username: string) => {
      looked.push(username)
      return store.read.devices.findBySipUsername(username)
    }
    return { ...store, write: (work) => store.write(work), read: { ...store.read, devices: { ...store.read.devices, findBySipUsername } } }
  })
  assert.doesNotMatch((await phone.say()).header('www-authenticate') ?? '', /stale/)
  const foreign = 'Digest realm="offhook", nonce="bm90IG91cnM", qop="auth", algorithm=MD5'
  const challenge = await phone.say({ headers: [['Authorization', foreign.replace('realm', `username="${phone.username}", realm`)]] })
  assert.match(challenge.header('www-authenticate') ?? '', /stale=true/)
  assert.deepEqual(looked, [])
  assert.equal(phone.digest.challenged(challenge), true)
  assert.equal((await phone.say()).status, 200)
  assert.deepEqual(looked, [phone.username])
})

test("another process with the same vault key accepts a challenge's response", async (t) => {
  const { phone, store, vault, clock, password } = await openOffice(t)
  const sourceFilter = new SourceFilter({ clock, trusted: () => false })
  const edge = new Edge(() => false)
  const onError = (error: unknown): never => assert.fail(String(error))
  const authenticator = new DeviceAuthenticator({ clock, store, vault, sourceFilter, realm: 'offhook', algorithms: ['MD5'], edge, onError })
  const there = new Phone(
    new Registrar({ clock, store, authenticator, edge, isProxy: () => false, refreshWindowMs: 0, onError }),
    phone.username,
    password,
  )
  assert.equal(there.digest.challenged(await phone.say()), true)
  assert.equal((await there.say({ contacts: ['<sip:a@10.0.0.1>'] })).status, 200)
})

test('limits guessing to ten tries, even when a hundred are concurrent', async (t) => {
  const { registrar, phone, bans } = await openOffice(t)
  const guess = async (password: string): Promise<number> => {
    const guesser = new Phone(registrar, phone.username, password)
    return (await guesser.register()).status
  }
  const answers = await Promise.all(Array.from({ length: 90 }, (_, n) => guess(`guess ${n}`)))
  assert.equal(answers.filter((status) => status === 401).length, 10)
  assert.equal(answers.filter((status) => status === 403).length, 80)
  assert.ok(bans.includes('wrong passwords'))
  assert.equal((await phone.register()).status, 403, 'nor does the right password help from there')
  assert.equal((await phone.register({ from: { ...from, address: '192.0.2.99' } })).status, 200)
})

test('rejects a password that was reset', async (t) => {
  const { phone, store, vault, accountId, deviceId } = await openOffice(t)
  assert.equal((await phone.register()).status, 200)
  const sip = { username: phone.username, passwordSealed: vault.seal('another one') }
  await store.write((tables) => tables.devices.setSipCredentials(accountId, deviceId, sip))
  assert.equal((await phone.register()).status, 401)
})

test('answers 503 with Retry-After while the database is unavailable or overloaded', async (t) => {
  let gate: Promise<void> | undefined
  let away = false
  const { phone, registrar } = await openOffice(t, 'sqlite', (store) => ({
    ...store,
    write: (work) => store.write(work),
    read: {
      ...store.read,
      devices: {
        ...store.read.devices,
        findBySipUsername: async (username) => {
          await gate
          if (away) throw new StoreUnavailable(undefined)
          return store.read.devices.findBySipUsername(username)
        },
      },
    },
  }))
  away = true
  const refused = await phone.register()
  assert.deepEqual([refused.status, refused.header('retry-after')], [503, '5'])
  away = false
  let openGate = (): void => {}
  gate = new Promise((resolve) => (openGate = resolve))
  const crowd = Array.from({ length: 100 }, (_, n) => {
    const source = { ...from, address: `198.51.100.${n}` }
    return new Phone(registrar, `${n}`, 'x').register({ from: source })
  })
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  assert.equal((await phone.say()).status, 503)
  openGate()
  assert.ok((await Promise.all(crowd)).every(({ status }) => status === 401))
  gate = undefined
  assert.equal((await phone.register()).status, 200)
})

test('accepts the location of a phone only from our edge, and routes through it', async (t) => {
  const { phone, store, clock, accountId, deviceId } = await openOffice(t)
  const headers: HeaderLines = [
    ['X-Offhook-Edge', 'wss:203.0.113.7:61000'],
    ['Path', '<sip:TOKEN@10.0.0.1;lr;ob>'],
  ]
  const kept = async () => {
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    return (found.get(deviceId) ?? []).map(({ ip, port, transport, via }) => ({ ip, port, transport, via }))
  }
  assert.equal((await phone.register({ contacts: ['<sip:a@x.invalid>'], headers, from: edgeFlow })).status, 200)
  assert.deepEqual(await kept(), [{ ip: '203.0.113.7', port: 61_000, transport: 'wss', via: 'udp:10.0.0.1:5060' }])
  assert.equal((await phone.register({ contacts: ['<sip:a@x.invalid>'], headers })).status, 200)
  assert.deepEqual(await kept(), [{ ip: from.address, port: from.port, transport: 'udp', via: '' }])
})

test('keeps a registration for the lease of the edge longer than the phone sees', async (t) => {
  const { clock, phone, bound } = await openOffice(t)
  const headers = [
    ['X-Offhook-Edge', 'udp:203.0.113.7:5060'],
    ['X-Offhook-Lease', '600'],
    ['Expires', '120'],
  ] as const
  const contacts = ['<sip:a@203.0.113.7>']
  for (let round = 0; round < 2; round++) {
    const answer = await phone.register({ contacts, headers, from: edgeFlow })
    assert.deepEqual([contactsOf(answer), answer.header('x-offhook-lease')], [['<sip:a@203.0.113.7>;expires=120'], '600'])
    await clock.advance(100_000)
  }
  await clock.advance(610_000)
  assert.deepEqual(await bound(), ['sip:a@203.0.113.7'])
  await clock.advance(10_000)
  assert.deepEqual(await bound(), [])
})

test('grants no lease to others than the edge, for several contacts, or for the end of a registration', async (t) => {
  const { phone, bound } = await openOffice(t)
  const headers = [['X-Offhook-Lease', '600']] as const
  const leaseOf = async (contacts: readonly string[], flow: Flow): Promise<string | undefined> =>
    (await phone.register({ contacts, headers, from: flow })).header('x-offhook-lease')
  assert.equal(await leaseOf(['<sip:a@203.0.113.7>'], from), undefined)
  assert.equal(await leaseOf(['<sip:b@203.0.113.7>'], edgeFlow), undefined)
  assert.equal(await leaseOf(['<sip:b@203.0.113.7>;expires=0'], edgeFlow), undefined)
  assert.deepEqual(await bound(), ['sip:a@203.0.113.7'])
})

test('bans a password guesser behind the edge by its own address, and no other', async (t) => {
  const { phone, registrar, bans, clock } = await openOffice(t)
  const guesser = new Phone(registrar, 'nobody', 'wrong')
  const at = (address: string) => ({ from: edgeFlow, headers: [['X-Offhook-Edge', `udp:${address}:5060`]] as const })
  for (let guess = 0; guess < 11; guess++) await guesser.register(at('203.0.113.9'))
  assert.deepEqual(bans, ['wrong passwords'])
  assert.equal((await guesser.register(at('203.0.113.9'))).status, 403)
  assert.equal((await phone.register({ contacts: ['<sip:a@x>'], ...at('203.0.114.10') })).status, 200)
  await clock.advance(0)
})
