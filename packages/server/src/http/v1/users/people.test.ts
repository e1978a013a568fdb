import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withCode } from '#test/http/with-code.ts'
import { anEntry } from '#test/store/an-entry.ts'
import { databases, startWorld } from '#test/world/world.ts'

const minute = 60_000
const password = 'a good and own password'
const landline = { id: 'n1', e164: '+4921112345679', type: 'LANDLINE', state: 'ACTIVE', createdAt: 0 } as const

const entry = (id: string, userId: string) =>
  anEntry(id, { userId, sessionId: id, source: '+49301', target: '+49302', connectionIds: ['p1'], createdAt: 1, modifiedAt: 1 })

for (const database of databases) {
  test(`${database}: deactivates a user immediately and hands their numbers and history over`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const { accountId } = ada
    const mine = { userId: bob.userId }
    const { read } = world.running.deps.store
    const { id: groupId } = await ada.api.createGroup({}, { alias: 'Sales', members: ['w0', 'w1'] })
    const external = await bob.api.createExternalDevice(mine, { alias: 'Home', number: '0211 12345678' })
    await ada.api.addPhonelineDevice({ userId: 'w0', phonelineId: 'p0' }, { deviceId: external.id })
    const phone = await bob.api.createRegisterDevice(mine, { alias: 'Desk' })
    const username = (await read.devices.find(accountId, phone.id))?.sip?.username ?? ''
    await bob.api.replaceForwardings({ ...mine, phonelineId: 'p1' }, { forwardings: [{ destination: 'p0', timeout: 5, active: true }] })
    const { token: personal, tokenId } = await bob.api.createPersonalToken({}, { name: 'script' })
    await world.write(async (tables) => {
      await tables.numbers.insert(accountId, { ...landline, endpointId: 'p1' })
      await tables.history.insert(accountId, entry('h1', 'w1'))
      await tables.pushSubscriptions.put(accountId, 'w1', { id: 's1', endpointSealed: '', keysSealed: '', language: 'en' }, 0)
    })

    await assert.rejects(ada.api.deactivateUser({ userId: 'w0' }), withCode('last_admin'))
    await assert.rejects(ada.api.deactivateUser({ ...mine, numbersTo: 'w1' }), { status: 400 })
    await assert.rejects(bob.api.deactivateUser(mine), { status: 403 })
    await ada.api.deactivateUser({ ...mine, numbersTo: 'w0', historyTo: 'w0' })
    await world.running.idle()

    await assert.rejects(bob.api.listUsers(), { status: 401 })
    await assert.rejects(world.client(`${tokenId}:${personal}`).listUsers(), { status: 401 })
    const login = () => world.client().createSessionToken({}, { username: bob.email, password: bob.password })
    await assert.rejects(login(), { status: 401 })
    assert.equal(await read.devices.findBySipUsername(username), undefined)
    assert.deepEqual((await ada.api.listPhonelineDevices({ userId: 'w0', phonelineId: 'p0' })).items, [])
    assert.deepEqual(await read.groups.members(accountId, groupId), ['w0'])
    assert.deepEqual(await read.pushSubscriptions.list(accountId, 'w1'), [])
    assert.deepEqual(await read.phonelines.listForwardings(accountId, 'p1'), [])
    assert.equal((await read.numbers.find(accountId, 'n1'))?.endpointId, 'p0')
    assert.equal((await read.history.find(accountId, 'h1'))?.userId, 'w0')
    assert.deepEqual(
      (await ada.api.listUsers()).items.map(({ id, active }) => [id, active]),
      [
        ['w0', true],
        ['w1', false],
      ],
    )

    await ada.api.changeUser(mine, { active: true })
    await login()
    assert.notEqual(await read.devices.findBySipUsername(username), undefined)
    assert.equal((await ada.api.listPhonelineDevices({ userId: 'w0', phonelineId: 'p0' })).items.length, 1)
    await ada.api.changeUser(mine, { active: false })
    await (await world.operator()).disableUser({ accountId, userId: 'w1' })
  })

  test(`${database}: keeps numbers without an heir in the account, and requires an active administrator`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId, { admin: true })
    const { accountId } = ada
    await world.write((tables) => tables.numbers.insert(accountId, { ...landline, endpointId: 'p1' }))
    await ada.api.deactivateUser({ userId: bob.userId, historyTo: 'DELETED' })
    const number = await world.running.deps.store.read.numbers.find(accountId, 'n1')
    assert.deepEqual([number?.state, number?.endpointId], ['ACTIVE', undefined])
    await assert.rejects(ada.api.changeUser({ userId: 'w0' }, { role: 'USER' }), withCode('last_admin'), 'who left does not count')
    await assert.rejects(ada.api.deactivateUser({ userId: 'w7' }), { status: 404 })
  })

  test(`${database}: requires the current password for a change and ends the other logins`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const logIn = async (secret: string) =>
      world.client((await world.client().createSessionToken({}, { username: ada.email, password: secret })).token)
    const other = await logIn(ada.password)
    const { tokenId, token } = await ada.api.createPersonalToken({}, { name: 'script' })
    const mine = { userId: ada.userId }
    const change = (oldPassword: string, newPassword: string) => ada.api.changePassword(mine, { oldPassword, newPassword })
    await assert.rejects(change('not the one', password), withCode('password_wrong'))
    await assert.rejects(change(ada.password, 'Passwort2024!'), withCode('password_weak'))
    await assert.rejects(ada.api.changePassword({ userId: bob.userId }, { oldPassword: 'x', newPassword: password }), { status: 403 })
    await change(ada.password, password)
    await assert.rejects(other.listUsers(), { status: 401 })
    await world.client(`${tokenId}:${token}`).listUsers()
    await ada.api.listUsers()
    await assert.rejects(logIn(ada.password), { status: 401 })
    await logIn(password)
  })

  test(`${database}: lists the user's logins and logs out one of them`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const logIn = async () => {
      const body = JSON.stringify({ username: ada.email, password: ada.password })
      const headers = { 'content-type': 'application/json', 'user-agent': agent }
      const reply = await fetch(`${world.url}/v1/authorization/token`, { method: 'POST', headers, body })
      return world.client(((await reply.json()) as { token: string }).token)
    }
    const [phone, laptop] = [await logIn(), await logIn()]
    await world.clock.advance(6 * minute)
    const [current, ...others] = (await laptop.listLoginSessions()).items
    assert.deepEqual([current?.program, current?.place, current?.current], ['Firefox, Linux', '127.0.0.1', true])
    assert.equal(Date.parse(current?.lastSeenAt ?? '') - Date.parse(current?.createdAt ?? ''), 6 * minute)
    assert.deepEqual(
      others.map((one) => one.current),
      [false, false],
    )
    const { id = '' } = (await phone.listLoginSessions()).items.find((one) => one.current) ?? {}
    await assert.rejects(bob.api.endLoginSession({ sessionId: id }), { status: 404 })
    await laptop.endLoginSession({ sessionId: id })
    await assert.rejects(phone.listLoginSessions(), { status: 401 })
    await laptop.endOtherLoginSessions()
    await assert.rejects(ada.api.listUsers(), { status: 401 })
    assert.equal((await laptop.listLoginSessions()).items.length, 1)
  })

  test(`${database}: changes the e-mail address when its owner opens the link`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const anyone = world.client()
    const mine = { userId: bob.userId }
    const logIn = (username: string) => anyone.createSessionToken({}, { username, password: bob.password })
    await assert.rejects(bob.api.changeUser(mine, { email: ada.email }), withCode('email_taken'))
    const { emailLink = '' } = await bob.api.changeUser(mine, {
      email: 'Bob.New@example.com',
      timezone: 'Europe/Lisbon',
      lastname: 'New',
      locale: 'de_DE',
    })
    assert.equal((await bob.api.getUser(mine)).email, bob.email)
    const nonce = emailLink.split('/').at(-1) ?? ''
    assert.deepEqual(await anyone.confirmEmail({ nonce }), { email: 'bob.new@example.com' })
    await assert.rejects(anyone.confirmEmail({ nonce }), withCode('email_link_invalid'))
    await logIn('bob.new@example.com')
    await assert.rejects(logIn(bob.email), { status: 401 })
    const { timezone, lastname, locale, localeChosen } = await bob.api.getUser(mine)
    assert.deepEqual([timezone, lastname, locale, localeChosen], ['Europe/Lisbon', 'New', 'de_DE', true])
    await assert.rejects(bob.api.changeUser({ userId: ada.userId }, { firstname: 'X' }), { status: 403 })
    await assert.rejects(bob.api.changeUser(mine, { timezone: 'Mars/Olympus' }), { status: 400 })
  })
}
