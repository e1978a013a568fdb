import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases)
  test(`${database}: sets the recording rule of the account and of a number, with an audit entry`, async (t) => {
    const world = await startWorld(t, { database })
    const [ada, eve] = [await world.newAccount(), await world.newAccount()]
    const bob = await world.newUser(ada.accountId)
    const operator = await world.operator()
    const number = '+4915112345678'
    const { id: numberId } = await operator.assignNumber({}, { accountId: ada.accountId, number })
    const { recordingRules } = world.running.deps.store.read
    const inForce = () => Promise.all([recordingRules.inForce(ada.accountId, undefined), recordingRules.inForce(ada.accountId, number)])
    assert.deepEqual(await ada.api.getRecordingRule(), { rule: 'none', numbers: [] })
    await ada.api.setRecordingRule({}, { rule: 'announce' })
    assert.deepEqual(await ada.api.getNumberRecordingRule({ numberId }), { rule: null, effectiveRule: 'announce' })
    await ada.api.setNumberRecordingRule({ numberId }, { rule: 'consent' })
    assert.deepEqual(await ada.api.getRecordingRule(), { rule: 'announce', numbers: [{ numberId, number, rule: 'consent' }] })
    assert.deepEqual(await ada.api.getNumberRecordingRule({ numberId }), { rule: 'consent', effectiveRule: 'consent' })
    assert.deepEqual(await inForce(), ['announce', 'consent'])
    await ada.api.setNumberRecordingRule({ numberId }, { rule: 'none' })
    assert.deepEqual(await inForce(), ['announce', 'none'], 'none of a number is a rule, too')
    await ada.api.setNumberRecordingRule({ numberId }, { rule: null })
    assert.deepEqual(await inForce(), ['announce', 'announce'])
    assert.equal(await recordingRules.inForce(eve.accountId, number), 'none')
    await assert.rejects(eve.api.setNumberRecordingRule({ numberId }, { rule: 'none' }), { status: 404 })
    await assert.rejects(eve.api.getNumberRecordingRule({ numberId }), { status: 404 })
    for (const refused of [() => bob.api.getRecordingRule(), () => bob.api.setRecordingRule({}, { rule: 'none' })])
      await assert.rejects(refused(), { status: 403 })
    const audit = await world.running.deps.store.read.audit.list(ada.accountId, { afterSeq: 0, limit: 20 })
    assert.deepEqual(
      audit.filter(({ action }) => action === 'recording.rule').map(({ actor, target, detail }) => [actor, target, detail]),
      [
        [`user:${ada.userId}`, ada.accountId, { rule: 'announce' }],
        [`user:${ada.userId}`, numberId, { rule: 'consent' }],
        [`user:${ada.userId}`, numberId, { rule: 'none' }],
        [`user:${ada.userId}`, numberId, { rule: null }],
      ],
    )
  })
