import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addSmsRoute } from '#test/sms/scripted-sms-route.ts'
import { databases, startWorld, type Person, type World } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'
import { hashSecret } from '#core/account/identity/tokens/tokens.ts'

const minute = 60_000

/** Stores the code, as if the message had arrived. */
const send = (world: World, { accountId }: Person, sms: string, phoneNumber: string, code: string) =>
  world.write((tables) =>
    tables.smsLines.awaitCode(accountId, sms, phoneNumber, { hash: hashSecret(code), expiresAt: world.clock.now() + 10 * minute }),
  )

for (const database of databases) {
  test(`${database}: verifies a sender by the code sent to it`, async (t) => {
    const world = await startWorld(t, { database })
    addSmsRoute(world)
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const line = { userId: 'w1', smsId: 's1' }
    assert.deepEqual(await bob.api.listSms({ userId: 'w1' }), { items: [{ id: 's1', alias: 'SMS Ada L2', callerId: '' }] })
    await bob.api.changeSms(line, { alias: 'Texts' })
    assert.deepEqual(await bob.api.getSms(line), { id: 's1', alias: 'Texts', callerId: '' })
    await assert.rejects(ada.api.getSms({ userId: 'w0', smsId: 's1' }), withCode('sms_not_found'))
    await assert.rejects(bob.api.listSms({ userId: 'w0' }), { status: 403 })
    await assert.rejects(eve.api.listSmsCallerIds({ userId: 'w0', smsId: 's1' }), { status: 404 })

    const made = await bob.api.createSmsCallerId(line, { phonenumber: '0151 12345678' })
    assert.deepEqual(made, { id: made.id, phonenumber: '+4915112345678', verified: false, defaultNumber: false })
    const one = { ...line, callerIdId: made.id }
    await assert.rejects(bob.api.changeSmsCallerId(one, { defaultNumber: true }), withCode('conflict'))
    await send(world, bob, 's1', '+4915112345678', '123456')
    await assert.rejects(bob.api.verifySmsCallerId(one, { code: '654321' }), withCode('verification_code_unknown'))
    await bob.api.verifySmsCallerId(one, { code: ' 123456' })
    await bob.api.verifySmsCallerId(one, { code: '123456' })
    await assert.rejects(bob.api.createSmsCallerId(line, { phonenumber: '+4915112345678' }), withCode('already_exists', 'phonenumber'))
    await bob.api.changeSmsCallerId(one, { defaultNumber: true })
    assert.deepEqual(await bob.api.listSmsCallerIds(line), { items: [{ ...made, verified: true, defaultNumber: true }] })
    assert.equal((await bob.api.getSms(line)).callerId, '+4915112345678')

    const second = await bob.api.createSmsCallerId(line, { phonenumber: '+4915112345679' })
    const other = { ...line, callerIdId: second.id }
    await send(world, bob, 's1', '+4915112345679', '000000')
    await bob.api.verifySmsCallerId(other, { code: '000000' })
    await bob.api.changeSmsCallerId(other, { defaultNumber: true })
    assert.deepEqual(
      (await bob.api.listSmsCallerIds(line)).items.map(({ defaultNumber }) => defaultNumber),
      [false, true],
      'one default',
    )
    await bob.api.changeSmsCallerId(one, { defaultNumber: false })
    assert.equal((await bob.api.getSms(line)).callerId, '+4915112345679')
    await bob.api.changeSmsCallerId(other, { defaultNumber: false })
    assert.equal((await bob.api.getSms(line)).callerId, '')
    await bob.api.deleteSmsCallerId(other)
    for (const callerIdId of [second.id, 'x', '0'])
      await assert.rejects(bob.api.deleteSmsCallerId({ ...line, callerIdId }), withCode('caller_id_not_found'))
    await assert.rejects(ada.api.verifySmsCallerId({ userId: 'w0', smsId: 's0', callerIdId: made.id }, { code: '1' }), { status: 404 })
  })

  test(`${database}: sends no code to a local number without a target`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const operator = await world.operator()
    const { id: numberId } = await operator.assignNumber({}, { accountId: ada.accountId, number: '+4915112345678' })
    const line = { userId: 'w0', smsId: 's0' }
    const input = { phonenumber: '+4915112345678' }
    await assert.rejects(ada.api.createSmsCallerId(line, input), withCode('number_invalid', 'phonenumber'))
    await ada.api.changeNumber({ numberId }, { endpointId: 's0' })
    assert.equal((await ada.api.createSmsCallerId(line, input)).verified, false)
  })

  test(`${database}: expires a code after ten minutes or five wrong attempts`, async (t) => {
    const world = await startWorld(t, { database })
    addSmsRoute(world)
    const ada = await world.newAccount()
    const line = { userId: 'w0', smsId: 's0' }
    const made = await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345678' })
    const one = { ...line, callerIdId: made.id }
    await send(world, ada, 's0', '+4915112345678', '123456')
    await world.clock.jump(10 * minute)
    await assert.rejects(ada.api.verifySmsCallerId(one, { code: '123456' }), withCode('verification_code_spent'))
    assert.deepEqual(await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345678' }), made, 'a new code for the same entry')

    await send(world, ada, 's0', '+4915112345678', '123456')
    const wrong = await Promise.allSettled(Array.from({ length: 5 }, (_, n) => ada.api.verifySmsCallerId(one, { code: `00000${n}` })))
    for (const { reason } of wrong as PromiseRejectedResult[]) assert.equal((reason as { status: number }).status, 404)
    await assert.rejects(ada.api.verifySmsCallerId(one, { code: '123456' }), { status: 409 }, 'even the right one')
    assert.equal((await ada.api.listSmsCallerIds(line)).items[0]?.verified, false)
    await send(world, ada, 's0', '+4915112345678', '123456')
    await world.clock.jump(10 * minute - 1)
    await ada.api.verifySmsCallerId(one, { code: '123456' })
  })

  test(`${database}: sends the valid code, and rate-limits codes`, async (t) => {
    const world = await startWorld(t, { database })
    const route = addSmsRoute(world)
    const ada = await world.newAccount()
    const line = { userId: 'w0', smsId: 's0' }
    const callerId = await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345678' })
    await world.running.idle()
    const [sent, ...others] = route.submitted
    assert.deepEqual([sent?.sender, sent?.recipient, others.length], ['Offhook', '+4915112345678', 0])
    const code = /\d{6}/.exec(sent?.text ?? '')?.[0] ?? ''
    await ada.api.verifySmsCallerId({ ...line, callerIdId: callerId.id }, { code })
    assert.equal((await ada.api.listOwnHistory()).totalCount, 0, 'nobody reads of codes in the history')

    for (const phonenumber of ['112', 'hello', '09001234567'])
      await assert.rejects(ada.api.createSmsCallerId(line, { phonenumber }), withCode('number_invalid', 'phonenumber'), phonenumber)
    for (let n = 1; n < 10; n++) await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345670' })
    await assert.rejects(ada.api.createSmsCallerId(line, { phonenumber: '+4915112345670' }), { status: 429 })
    await world.clock.jump(60 * minute)
    await ada.api.createSmsCallerId(line, { phonenumber: '+4915112345670' })
  })
  test(`${database}: rejects a sender without a route for the code`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const input = ada.api.createSmsCallerId({ userId: 'w0', smsId: 's0' }, { phonenumber: '+4915112345678' })
    await assert.rejects(input, withCode('line_unavailable'))
    assert.deepEqual(await ada.api.listSmsCallerIds({ userId: 'w0', smsId: 's0' }), { items: [] })
  })
}
