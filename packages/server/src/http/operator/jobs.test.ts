import assert from 'node:assert/strict'
import test from 'node:test'
import { databases, startWorld } from '#test/world/world.ts'

for (const database of databases) {
  test(`${database}: lists parked jobs and revives them`, async (t) => {
    const world = await startWorld(t, { database })
    const operator = await world.operator()
    const { api } = await world.newAccount()
    const { id: aiFlowId } = await api.createFlow({}, { name: 'Shop' })
    const { id: documentId } = await api.addKnowledge({ aiFlowId }, { text: 'We open at nine.' })
    await world.clock.advance(0)
    const jobId = `knowledge.erase:${documentId}`
    await world.write(async ({ jobs }) => {
      await jobs.schedule({ id: jobId, kind: 'knowledge.erase', payload: { documentId }, dueAt: world.clock.now() + 1 })
      await jobs.park(jobId, world.clock.now(), 'the process died')
    })
    const parkedAt = new Date(world.clock.now()).toISOString()
    await world.clock.advance(60_000)
    assert.deepEqual((await operator.listParkedJobs()).items, [{ id: jobId, kind: 'knowledge.erase', attempts: 0, parkedAt }])
    assert.equal((await api.getKnowledge({ aiFlowId, documentId })).text.length, 1)
    await assert.rejects(operator.reviveParkedJob({ jobId: 'none' }), { status: 404 })
    await operator.reviveParkedJob({ jobId })
    await world.clock.advance(0)
    assert.deepEqual((await operator.listParkedJobs()).items, [])
    assert.deepEqual((await api.getKnowledge({ aiFlowId, documentId })).text, [])
    await assert.rejects(operator.reviveParkedJob({ jobId }), { status: 404 })
  })
}
