import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { bothDatabases, databases, startWorld, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

const admin = { email: 'Grace@Example.com', firstname: 'Grace', lastname: 'Hopper' }

/** Code in the newest mail to this address; without a mail server mails become files. */
const codeInMail = async (world: World, to: string): Promise<string> => {
  await world.running.idle()
  const files = await readdir(join(world.data, 'mail'))
  const mails = await Promise.all(files.toSorted().map((file) => readFile(join(world.data, 'mail', file), 'utf8')))
  const mail = mails.findLast((text) => text.toLowerCase().includes(to.toLowerCase())) ?? ''
  return /\b[A-Z0-9]{8}\b/.exec(mail.slice(mail.indexOf('\n\n')))?.[0] ?? ''
}

for (const database of databases) {
  test(`${database}: finds accounts by part of the name, start of the account number, or phone number`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ids: string[] = []
    for (const company of ['MÜLLER & Söhne', 'Ada', '100 % Holz', 'Holz_Werk'])
      ids.push((await operator.createAccount({}, { company, admin: { ...admin, email: `a${ids.length}@example.com` } })).id)
    const [mueller = '', ada = '', , werk = ''] = ids
    const found = async (query: Parameters<typeof operator.listAccounts>[0]): Promise<string[]> =>
      (await operator.listAccounts(query)).items.map(({ company }) => company)
    assert.deepEqual(await found({ search: ' müller' }), ['MÜLLER & Söhne'])
    assert.deepEqual(await found({ search: 'SÖHNE' }), ['MÜLLER & Söhne'])
    assert.deepEqual(await found({ search: '%' }), ['100 % Holz'])
    assert.deepEqual(await found({ search: 'z_w' }), ['Holz_Werk'])
    assert.deepEqual(await found({ search: '\\' }), [])
    assert.deepEqual(await found({ search: ada }), ['Ada'])
    assert.equal((await found({ search: '' })).length, ids.length)
    const holz = ids.slice(2).toSorted()
    assert.equal((await found({ search: 'holz', limit: 1 })).length, 1)
    assert.deepEqual((await operator.listAccounts({ search: 'holz', after: holz[0] ?? '' })).items[0]?.id, holz[1])
    assert.deepEqual((await found({ ids: `${mueller},${werk},999` })).toSorted(), ['Holz_Werk', 'MÜLLER & Söhne'])
    await assert.rejects(operator.listAccounts({ ids: "1' or '1" }), { status: 400 })
  })

  test(`${database}: creates an account whose administrator can log in and verify it`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const created = await operator.createAccount({}, { company: 'Navy', currency: 'USD', country: 'US', admin })
    assert.match(created.id, /^\d{7}$/)
    assert.equal(created.adminUserId, 'w0')
    assert.match(created.password ?? '', /^[A-Za-z0-9]{20}$/)

    const { passwords, store } = world.running.deps
    const credentials = await store.read.users.findCredentials('grace@example.com')
    assert.equal(credentials?.accountId, created.id)
    assert.equal(await passwords.matches(created.password ?? '', credentials?.passwordHash), true)
    assert.equal((await store.read.balances.find(created.id))?.currency, 'USD')

    const account = await operator.readAccount({ accountId: created.id })
    assert.deepEqual(
      { ...account, createdAt: '' },
      {
        id: created.id,
        company: 'Navy',
        mainProductType: 'TEAM',
        logoUrl: '',
        verified: false,
        domain: `${created.id}.offhook`,
        locale: 'en_US',
        country: 'US',
        outboundEnabled: false,
        createdAt: '',
      },
    )

    const first = await codeInMail(world, admin.email)
    await world.clock.advance(1000)
    await operator.sendAccountVerification({ accountId: created.id })
    const grace = await world.newUser(created.id, { admin: true })
    await assert.rejects(grace.api.verifyAccount({}, { verificationCode: first }), { status: 404 }, 'the first code is void')
    const second = await codeInMail(world, admin.email)
    await grace.api.verifyAccount({}, { verificationCode: second })
    assert.equal((await operator.readAccount({ accountId: created.id })).verified, true)
    await assert.rejects(operator.sendAccountVerification({ accountId: created.id }), { status: 409 })
  })

  test(`${database}: validates new and changed accounts`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount('Engines')

    const wrong: [object, string][] = [
      [{ company: '', admin }, 'company'],
      [{ company: 'X', admin: { ...admin, email: 'nobody' } }, 'admin/email'],
      [{ company: 'X', admin: { ...admin, email: 'a@b.example\r\nBcc: c@d.example' } }, 'admin/email'],
      [{ company: 'X', admin: { ...admin, password: 'short' } }, 'admin/password'],
      [{ company: 'X', country: 'Germany', admin }, 'country'],
      [{ company: 'X', country: 'ZZ', admin }, 'country'],
      [{ company: 'X', locale: 'fr_FR', admin }, 'locale'],
      [{ company: 'X', mainProductType: 'PHONE', admin }, 'mainProductType'],
      [{ company: 'X', tariffId: 'none', admin }, 'tariffId'],
      [{ company: 'X', colour: 'red', admin }, 'colour'],
      [{ company: 'X' }, 'admin'],
    ]
    for (const [body, field] of wrong) {
      await assert.rejects(operator.createAccount({}, body as Parameters<typeof operator.createAccount>[1]), (error: Refusal) => {
        assert.equal(error.status, 400)
        assert.equal(error.body.details?.[0]?.field, field)
        return true
      })
    }
    await assert.rejects(operator.createAccount({}, { company: 'X', admin: { ...admin, email: ada.email.toUpperCase() } }), { status: 409 })
    assert.deepEqual(
      (await operator.listAccounts()).items.map(({ id }) => id),
      [ada.accountId],
      'a refused account leaves nothing',
    )

    const at = world.clock.now()
    await world.write(async ({ tariffs }) => {
      await tariffs.insert({ id: 'euro', name: 'Euro', currency: 'EUR', createdAt: at })
      await tariffs.insert({ id: 'dollar', name: 'Dollar', currency: 'USD', createdAt: at })
    })
    const { accountId } = ada
    await operator.updateAccount(
      { accountId },
      { tariffId: 'euro', company: 'New Engines', logoUrl: 'https://example.com/logo.png', locale: 'de_DE' },
    )
    await assert.rejects(operator.updateAccount({ accountId }, { tariffId: 'dollar' }), { status: 400 })
    await assert.rejects(operator.updateAccount({ accountId }, { logoUrl: 'javascript:alert(1)' }), { status: 400 })
    await assert.rejects(operator.updateAccount({ accountId: '1' }, { company: 'X' }), { status: 404 })
    const account = await operator.readAccount({ accountId })
    assert.deepEqual([account.company, account.tariffId, account.locale], ['New Engines', 'euro', 'de_DE'])
    assert.equal((await ada.api.getAccount()).logoUrl, 'https://example.com/logo.png')
  })

  test(`${database}: lists accounts in pages`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    for (let i = 0; i < 5; i++) await world.newAccount(`Company ${i}`)
    const all = (await operator.listAccounts()).items.map(({ id }) => id)
    assert.equal(all.length, 5)
    const first = (await operator.listAccounts({ limit: 3 })).items.map(({ id }) => id)
    const second = (await operator.listAccounts({ limit: 3, after: first.at(-1) ?? '' })).items.map(({ id }) => id)
    assert.deepEqual([...first, ...second], all)
    await assert.rejects(operator.listAccounts({ limit: 101 }), { status: 400 })
    await assert.rejects(operator.listAccounts({ limit: 0 }), { status: 400 })
  })
}

for (const database of bothDatabases) {
  test(`${database}: locks out users of a closed account immediately`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const other = await world.newAccount('Other')
    const { accountId } = ada
    await world.write(({ numbers }) =>
      numbers.insert(accountId, { id: 'n1', e164: '+493023125001', type: 'LANDLINE', state: 'ACTIVE', createdAt: world.clock.now() }),
    )
    await Promise.all([ada.api.getAccount(), bob.api.getAccount()])

    const { id } = await operator.createPorting(
      {},
      {
        accountId,
        numbers: ['+4915112345678'],
        email: ada.email,
        holder: { name: 'Ada', street: 'Musterstraße', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' },
      },
    )
    await assert.rejects(operator.closeAccount({ accountId }), { status: 409 })
    await ada.api.getAccount()
    await operator.applyPortingEvent({ portingId: String(id) }, { event: 'revoked' })

    await operator.closeAccount({ accountId })
    for (const person of [ada, bob]) {
      await assert.rejects(person.api.getAccount(), { status: 401 })
      assert.equal(await world.running.deps.store.read.users.findCredentials(person.email), undefined)
    }
    assert.equal(await world.running.deps.store.read.numbers.findCallable('+493023125001'), undefined)
    await assert.rejects(operator.reactivateNumber({ numberId: 'n1' }), withCode('conflict'))
    await assert.rejects(operator.readAccount({ accountId }), { status: 404 })
    await assert.rejects(operator.closeAccount({ accountId }), { status: 404 })
    await assert.rejects(operator.listAccountFeatures({ accountId }), { status: 404 })
    await other.api.getAccount()
    await operator.createAccount({}, { company: 'Again', admin: { ...admin, email: ada.email } })
  })
}

for (const database of databases) {
  test(`${database}: applies features and the outbound permission, and logs who decided and why`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const { accountId } = await world.newAccount()
    const booked = (await operator.listAccountFeatures({ accountId })).items
    assert.ok(!booked.includes('SVCIO') && booked.includes('FAX'))
    await operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
    await operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
    await operator.cancelAccountFeature({ accountId, feature: 'FAX' })
    const now = (await operator.listAccountFeatures({ accountId })).items
    assert.ok(now.includes('SVCIO') && !now.includes('FAX'))
    await assert.rejects(operator.bookAccountFeature({ accountId, feature: 'TELEPORT' }), { status: 404 })
    await assert.rejects(operator.bookAccountFeature({ accountId: '1', feature: 'FAX' }), { status: 404 })

    assert.deepEqual(await operator.readAccountOutbound({ accountId }), { enabled: false, reviews: [] })
    for (const body of [{ enabled: true }, { enabled: true, reviewer: 'R' }, { enabled: true, reviewer: '', reason: '' }])
      await assert.rejects(operator.reviewAccountOutbound({ accountId }, body as { enabled: boolean; reviewer: string; reason: string }), {
        status: 400,
      })
    await operator.reviewAccountOutbound({ accountId }, { enabled: true, reviewer: 'Rita', reason: 'known customer' })
    await operator.reviewAccountOutbound({ accountId }, { enabled: false, reviewer: 'Rolf', reason: 'complaints' })
    const { enabled, reviews } = await operator.readAccountOutbound({ accountId })
    assert.equal(enabled, false)
    assert.deepEqual(
      reviews.map(({ enabled: decision, reviewer, reason }) => [decision, reviewer, reason]),
      [
        [true, 'Rita', 'known customer'],
        [false, 'Rolf', 'complaints'],
      ],
    )
  })
}

test('rejects customers and anonymous callers', async (t) => {
  const world = await startWorld(t)
  const ada = await world.newAccount()
  await assert.rejects(ada.api.listAccounts(), { status: 401 })
  await assert.rejects(ada.api.closeAccount({ accountId: ada.accountId }), { status: 401 })
  await assert.rejects(world.client().listAccounts(), { status: 401 })
})

type Refusal = { status: number; body: { details?: { field: string }[] } }
