import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { databases, openTestStore, type Database } from '../../../../../test/support/databases.ts'
import { VirtualClock } from '../../../../../test/support/virtual-clock.ts'
import { createAccount, createUser } from '../../core/accounts/create-account.ts'
import { createDevice } from '../../core/devices/create-device.ts'
import { situate } from '../../core/devices/situation.ts'
import { StoreUnavailable, type Store } from '../../core/ports/store/index.ts'
import type { Vault } from '../../core/ports/vault.ts'
import { buildRequest, respond, type HeaderLines } from '../../sip/build.ts'
import { DigestClient } from '../../sip/digest-client.ts'
import type { Request, Response } from '../../sip/message.ts'
import { parseMessage } from '../../sip/parse.ts'
import type { Flow } from '../../sip/transport.ts'
import { openVault } from '../vault/file-vault.ts'
import { DeviceAuthenticator } from './authenticate.ts'
import { Doorman } from './doorman.ts'
import { Registrar } from './registrar.ts'

const from: Flow = { kind: 'udp', address: '192.0.2.7', port: 5070 }

interface Register {
  /** Contact values. */
  contacts?: readonly string[]
  headers?: HeaderLines
  method?: string
  to?: string
  cseq?: number
  callId?: string
  from?: Flow
}

/** Somebody with a user name and a password, right or wrong. */
class Phone {
  readonly registrar: Registrar
  readonly username: string
  readonly digest: DigestClient
  #cseq = 0

  constructor(registrar: Registrar, username: string, password: string) {
    this.registrar = registrar
    this.username = username
    this.digest = new DigestClient({ username, password })
  }

  /** As sent, without trying again. */
  async say(register: Register = {}): Promise<Response> {
    const { contacts = [], headers = [], to = `<sip:${this.username}@offhook>`, callId = 'c1', cseq = ++this.#cseq } = register
    const uri = 'sip:offhook'
    const lines: HeaderLines = [
      ['Via', 'SIP/2.0/UDP 192.0.2.7:5070;branch=z9hG4bK1'],
      ['From', `<sip:${this.username}@offhook>;tag=1`],
      ['To', to],
      ['Call-ID', callId],
      ['CSeq', `${cseq} REGISTER`],
      ...contacts.map((contact) => ['Contact', contact] as const),
      ...this.digest.authorization('REGISTER', uri),
      ...headers,
    ]
    const request = parseMessage(buildRequest('REGISTER', uri, lines)) as Request
    return new Promise((resolve, reject) => {
      const answered = (status: number, options: { headers?: HeaderLines } = {}): void =>
        resolve(parseMessage(respond(request, status, { toTag: 't', ...options })) as Response)
      this.registrar.answer({ request, from: register.from ?? from, respond: answered }).catch(reject)
    })
  }

  /** Answers one challenge. */
  async register(register: Register = {}): Promise<Response> {
    const first = await this.say(register)
    return first.status === 401 && this.digest.challenged(first) ? this.say(register) : first
  }
}

interface Office {
  clock: VirtualClock
  store: Store
  vault: Vault
  bans: string[]
  accountId: string
  deviceId: string
  registrar: Registrar
  phone: Phone
  password: string
  bound: () => Promise<string[]>
}

const openOffice = async (t: TestContext, database: Database = 'sqlite', wrap = (store: Store): Store => store): Promise<Office> => {
  const clock = new VirtualClock()
  const store = await openTestStore(t, database)
  const vault = await openVault({ key: randomBytes(32).toString('base64'), file: '' })
  const { accountId, deviceId } = await store.write(async (tables) => {
    const id = await createAccount(tables, clock, { company: 'Example', country: 'DE', locale: 'en_US', currency: 'EUR' })
    const names = { email: 'a@example.com', firstname: 'Ada', lastname: 'L', passwordHash: 'none', admin: true, locale: 'en_US' } as const
    const userId = await createUser(tables, clock, id, names)
    const wish = { accountId: id, userId, type: 'REGISTER', alias: 'Desk', actor: userId } as const
    return { accountId: id, deviceId: await createDevice(tables, clock, vault, wish) }
  })
  const device = await store.read.devices.find(accountId, deviceId)
  const password = vault.open(device?.sip?.passwordSealed ?? '')
  const bans: string[] = []
  const doorman = new Doorman({ clock, trusted: () => false, onBan: (_, why) => bans.push(why) })
  const onError = (error: unknown): void => {
    if (!(error instanceof StoreUnavailable)) throw error
  }
  const seen = wrap(store)
  const authenticator = new DeviceAuthenticator({
    clock,
    store: seen,
    vault,
    doorman,
    realm: 'offhook',
    algorithms: ['SHA-256', 'MD5'],
    onError,
  })
  const registrar = new Registrar({ clock, store: seen, authenticator, onError })
  const bound = async (): Promise<string[]> => {
    const found = await store.read.devices.registrations(accountId, [deviceId], clock.now())
    return (found.get(deviceId) ?? []).map(({ contact }) => contact).toSorted()
  }
  const phone = new Phone(registrar, `${accountId}${deviceId}`, password)
  return { clock, store, vault, bans, accountId, deviceId, registrar, phone, password, bound }
}

const contactsOf = (response: Response): string[] => response.list('contact').toSorted()

for (const database of databases) {
  test(`${database}: a phone registers, is online, refreshes, and is gone when its time is over`, async (t) => {
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
    const online = async () => (await situate(store.read, clock, accountId, [device!]))[0]![1]
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

  test(`${database}: forty phones of one office that come at once all register, and are known as phones after a restart`, async (t) => {
    const { clock, store, vault, accountId, registrar, bans } = await openOffice(t, database)
    const logins = await store.write(async (tables) => {
      const made: { username: string; password: string }[] = []
      for (let n = 0; n < 40; n++) {
        const wish = { accountId, userId: 'w0', type: 'REGISTER', alias: `Desk ${n}`, actor: 'w0' } as const
        const sip = (await tables.devices.find(accountId, await createDevice(tables, clock, vault, wish)))?.sip
        made.push({ username: sip?.username ?? '', password: vault.open(sip?.passwordSealed ?? '') })
      }
      return made
    })
    const answers = await Promise.all(
      logins.map(({ username, password }, n) =>
        new Phone(registrar, username, password).register({
          contacts: [`<sip:${username}@10.0.0.1:5060>`],
          callId: `c${n}`,
          from: { ...from, port: 6_000 + n },
        }),
      ),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.deepEqual(bans, [])
    const known = await store.read.devices.registeredFlows(clock.now())
    assert.deepEqual(
      known.map(({ kind, address, port }) => `${kind} ${address} ${port}`).toSorted(),
      logins.map((_, n) => `udp ${from.address} ${6_000 + n}`),
    )
    assert.deepEqual(await store.read.devices.registeredFlows(clock.now() + 3_600_000), [])
  })

  test(`${database}: several contacts, one taken away, all taken away`, async (t) => {
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

  test(`${database}: a request that was overtaken changes nothing, not even in part`, async (t) => {
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

  test(`${database}: the way through proxies is kept, and told to who knows about it`, async (t) => {
    const { phone, store, clock, accountId, deviceId } = await openOffice(t, database)
    const path = '<sip:edge1.example;lr>, <sip:edge2.example;lr>'
    const silent = await phone.register({ contacts: ['<sip:a@10.0.0.1>'], headers: [['Path', path]] })
    assert.equal(silent.header('path'), undefined)
    const told = await phone.register({
      contacts: ['<sip:a@10.0.0.1>'],
      headers: [
        ['Path', '<sip:edge1.example;lr>'],
        ['Path', '<sip:edge2.example;lr>'],
        ['Supported', 'timer, path'],
      ],
    })
    assert.equal(told.header('path'), path)
    const found = (await store.read.devices.registrations(accountId, [deviceId], clock.now())).get(deviceId)
    assert.deepEqual(
      found?.map((one) => one.path),
      [path],
    )
  })
}

test('times: too short is refused, too long is cut, what cannot be read is an hour', async (t) => {
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

test('the same contact in other words is the same', async (t) => {
  const { phone, bound } = await openOffice(t)
  await phone.register({ contacts: ['<sip:a@Phone.Example:5060;transport=udp>'] })
  await phone.register({ contacts: ['<sip:a@phone.example:5060;Transport=UDP>'] })
  assert.deepEqual(await bound(), ['sip:a@Phone.Example:5060;transport=udp'])
})

test('a phone that comes from a new address each time does not collect contacts', async (t) => {
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

test('nobody registers for somebody else, and nonsense gets a 400', async (t) => {
  const { phone, bound } = await openOffice(t)
  assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'], to: '<sip:1234567e9@offhook>' })).status, 403)
  assert.equal((await phone.register({ contacts: ['<sip:a@10.0.0.1>'], to: '<sip:offhook>' })).status, 403)
  for (const contact of ['<tel:+4930123>', '<sip:a@[::1>', '<sip:a@b:99999>'])
    assert.equal((await phone.register({ contacts: [contact] })).status, 400, contact)
  assert.equal((await phone.register({ contacts: ['<mailto:a@b>'] })).status, 416)
  assert.deepEqual(await bound(), [])
})

test('no answer tells whether a user exists: challenges and refusals are alike', async (t) => {
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

test('an answer that was used, or is too old, is challenged again as stale; phones go on by themselves', async (t) => {
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

test('who proves nothing, or with a nonce that is not ours, is challenged without a look into the database', async (t) => {
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

test('a challenge of one process may be answered at another that has the same vault key', async (t) => {
  const { phone, store, vault, clock, password } = await openOffice(t)
  const doorman = new Doorman({ clock, trusted: () => false })
  const onError = (error: unknown): never => assert.fail(String(error))
  const authenticator = new DeviceAuthenticator({ clock, store, vault, doorman, realm: 'offhook', algorithms: ['MD5'], onError })
  const there = new Phone(new Registrar({ clock, store, authenticator, onError }), phone.username, password)
  assert.equal(there.digest.challenged(await phone.say()), true)
  assert.equal((await there.say({ contacts: ['<sip:a@10.0.0.1>'] })).status, 200)
})

test('a nonce that was sent to one address is worth nothing in the name of another, and nobody is looked up or counted for it', async (t) => {
  const { phone, registrar, password, bans } = await openOffice(t)
  const forger = new Phone(registrar, phone.username, 'guess')
  assert.equal(forger.digest.challenged(await forger.say({ from: { ...from, address: '203.0.113.9' } })), true)
  for (let n = 0; n < 200; n++) {
    const { status, header } = await forger.say().then((answer) => ({ status: answer.status, header: answer.header('www-authenticate') }))
    assert.equal(status, 401)
    assert.match(header ?? '', /stale=true/)
  }
  assert.deepEqual(bans, [])
  assert.equal((await new Phone(registrar, phone.username, password).register()).status, 200)
})

test('guessing ends after ten tries, even when a hundred come at once', async (t) => {
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

test('a password that was reset is of no use any more', async (t) => {
  const { phone, store, vault, accountId, deviceId } = await openOffice(t)
  assert.equal((await phone.register()).status, 200)
  const sip = { username: phone.username, passwordSealed: vault.seal('another one') }
  await store.write((tables) => tables.devices.setSipCredentials(accountId, deviceId, sip))
  assert.equal((await phone.register()).status, 401)
})

test('while the database is away, or too many wait for it, phones are told to come again', async (t) => {
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
