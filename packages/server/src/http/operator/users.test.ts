import assert from 'node:assert/strict'
import test from 'node:test'
import { bothDatabases, databases, startWorld } from '#test/world/world.ts'

const input = { email: 'New@Example.com', firstname: 'Nell', lastname: 'Gwyn' }

for (const database of databases) {
  test(`${database}: creates and changes users, sets a password, and disables them`, async (t) => {
    const world = await startWorld(t, { database })
    const { passwords, store } = world.running.deps
    const operator = await world.operator()
    const { accountId } = await world.newAccount()

    const created = await operator.createUser({}, { accountId, ...input, timezone: 'America/New_York' })
    assert.equal(created.id, 'w1')
    const first = await store.read.users.findCredentials('new@example.com')
    assert.equal(await passwords.matches(created.password ?? '', first?.passwordHash), true)
    const { id: userId } = created
    assert.deepEqual(await operator.readAccountUser({ accountId, userId }), {
      accountId,
      id: 'w1',
      email: 'new@example.com',
      firstname: 'Nell',
      lastname: 'Gwyn',
      admin: false,
      locale: 'en_US',
      timezone: 'America/New_York',
    })
    await assert.rejects(operator.createUser({}, { accountId, ...input }), { status: 409 })
    await assert.rejects(operator.createUser({}, { accountId: '1', ...input, email: 'x@example.com' }), { status: 404 })
    await assert.rejects(operator.createUser({}, { accountId, ...input, timezone: 'Mars/Olympus' }), { status: 400 })
    assert.deepEqual(
      (await operator.listAccountUsers({ accountId })).items.map(({ id }) => id),
      ['w0', 'w1'],
    )
    await assert.rejects(operator.listAccountUsers({ accountId: '1' }), { status: 404 })

    await operator.updateUser({ accountId, userId }, { lastname: 'Stuart', admin: true, locale: 'de_DE' })
    const changed = await operator.readAccountUser({ accountId, userId })
    assert.deepEqual([changed.firstname, changed.lastname, changed.admin, changed.locale], ['Nell', 'Stuart', true, 'de_DE'])
    await assert.rejects(operator.updateUser({ accountId, userId }, { timezone: 'nowhere' }), { status: 400 })
    await assert.rejects(operator.updateUser({ accountId, userId: 'w9' }, { lastname: 'X' }), { status: 404 })

    await operator.setUserPassword({ accountId, userId }, { password: 'a rather long password' })
    const second = await store.read.users.findCredentials('new@example.com')
    assert.equal(await passwords.matches('a rather long password', second?.passwordHash), true)
    await assert.rejects(operator.setUserPassword({ accountId, userId }, { password: 'short' }), { status: 400 })
    await assert.rejects(operator.setUserPassword({ accountId, userId: 'w9' }, { password: 'a rather long password' }), { status: 404 })

    await operator.disableUser({ accountId, userId })
    assert.equal(await store.read.users.findCredentials('new@example.com'), undefined)
    await assert.rejects(operator.readAccountUser({ accountId, userId }), { status: 404 })
    await assert.rejects(operator.disableUser({ accountId, userId }), { status: 404 })
    const again = await operator.createUser({}, { accountId, ...input, password: 'a rather long password' })
    assert.deepEqual(again, { accountId, id: 'w2' }, 'a given password is not repeated, an id is never used twice')
  })

  test(`${database}: revokes tokens with the password and the user, and applies rights immediately`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId, { admin: true })
    const cleo = await world.newUser(ada.accountId)
    const { accountId } = ada

    const verify = () => bob.api.verifyAccount({}, { verificationCode: 'UNKNOWN1' })
    await assert.rejects(verify(), { status: 404 })
    await operator.updateUser({ accountId, userId: bob.userId }, { admin: false })
    await assert.rejects(verify(), { status: 403 })

    await bob.api.getAccount()
    const [nonceHash, at] = ['hash', world.clock.now()]
    await world.write(({ passwordResets }) =>
      passwordResets.insert(accountId, { userId: bob.userId, nonceHash, createdAt: at, expiresAt: at + 60_000 }),
    )
    await assert.rejects(operator.setUserPassword({ accountId, userId: bob.userId }, { password: bob.email.toUpperCase() }), {
      status: 400,
    })
    await operator.setUserPassword({ accountId, userId: bob.userId }, { password: 'a rather long password' })
    const link = await world.running.deps.store.read.passwordResets.findOpen(nonceHash, at)
    assert.equal(link, undefined, 'a link that was on its way cannot undo it')
    await assert.rejects(bob.api.getAccount(), { status: 401 })

    await cleo.api.getAccount()
    await operator.disableUser({ accountId, userId: cleo.userId })
    await assert.rejects(cleo.api.getAccount(), { status: 401 })
    await ada.api.getAccount()
  })
}

for (const database of bothDatabases) {
  test(`${database}: keeps one administrator per account, even under concurrent removals`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const ada = await world.newAccount()
    const { accountId } = ada
    const alone = { accountId, userId: ada.userId }
    await assert.rejects(operator.updateUser(alone, { admin: false }), { status: 409 })
    await assert.rejects(operator.disableUser(alone), { status: 409 })

    const others = await Promise.all([1, 2, 3].map(() => world.newUser(accountId, { admin: true })))
    const all = [ada, ...others].map(({ userId }) => ({ accountId, userId }))
    const results = await Promise.allSettled(
      all.map((target, index) => (index % 2 === 0 ? operator.disableUser(target) : operator.updateUser(target, { admin: false }))),
    )
    assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
    assert.equal((await operator.listAccountUsers({ accountId })).items.filter(({ admin }) => admin).length, 1)
  })
}
