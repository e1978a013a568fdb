import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@offhook/sdk'
import { aDelivery } from '#test/store/a-delivery.ts'
import { databases, startWorld } from '#test/world/world.ts'

const problem = (code: string) => (error: unknown) => error instanceof ApiError && error.body.code === code

test('lists voices and plays samples', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SPEECH: 'tones' } })
  const ada = await world.newAccount()
  const voices = [
    { id: 'en', name: 'English', language: 'en', provider: 'embedded' },
    { id: 'de', name: 'German', language: 'de', provider: 'embedded' },
  ]
  assert.deepEqual((await ada.api.listVoices()).items, voices)
  assert.deepEqual((await ada.api.listVoices({ language: 'de-AT', provider: 'EMBEDDED' })).items, [voices[1]])
  assert.deepEqual((await ada.api.listVoices({ provider: 'azure' })).items, [])

  const sound = Buffer.from(await ada.api.makeSpeechSample({}, { voice: 'de', language: 'de', text: 'Guten Tag' }))
  assert.deepEqual([sound.toString('latin1', 0, 4), sound.readUInt32LE(24), sound.readUInt32LE(40)], ['RIFF', 8000, sound.length - 44])
  assert.ok(sound.subarray(44).some((byte) => byte !== 0))
  const sample = (more: object) => ada.api.makeSpeechSample({}, { language: 'en', text: 'Hi', ...more })
  await assert.rejects(sample({ voice: 'nobody' }), problem('voice_unknown'))
  await assert.rejects(sample({ provider: 'azure' }), problem('speech_unavailable'))
  await assert.rejects(sample({ language: '!' }), problem('parameter_invalid'))
  await assert.rejects(sample({ text: 'x'.repeat(201) }), problem('parameter_invalid'))
  for (let asked = 3; asked < 20; asked++) await sample({})
  await assert.rejects(sample({}), problem('rate_limited'))
  await (await world.newAccount()).api.makeSpeechSample({}, { language: 'en', text: 'Others may' })
})

test('rejects a flow with an unknown voice', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_SPEECH: 'tones' } })
  const { api } = await world.newAccount()
  await assert.rejects(api.createFlow({}, { name: 'Bot', tts: { voice: 'nobody' } }), problem('voice_unknown'))
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot', tts: { voice: 'German' } })
  await assert.rejects(api.changeFlow({ aiFlowId }, { name: 'Bot', tts: { provider: 'embedded', voice: { name: 'x' } } }), (error) => {
    assert.ok(error instanceof ApiError)
    assert.deepEqual(error.body.details, [{ field: 'tts/voice', problem: 'is not known here' }])
    return problem('voice_unknown')(error)
  })
  await api.changeFlow({ aiFlowId }, { name: 'Bot', tts: { provider: 'azure', voice: 'anybody' } })
})

for (const database of databases) {
  test(`${database}: derives the health of a flow from its deliveries`, async (t) => {
    const world = await startWorld(t, { database })
    const { accountId, api } = await world.newAccount()
    const { id: aiFlowId } = await api.createFlow({}, { name: 'Bot' })
    const health = () => api.getFlowHealth({ aiFlowId })
    assert.deepEqual(await health(), { state: 'INCOMPLETE', last24h: { ok: 0, failed: 0 } })
    await api.changeFlow({ aiFlowId }, { name: 'Bot', webhookUrl: 'https://example.com/' })
    assert.equal((await health()).state, 'UNTESTED')

    const at = world.clock.now()
    let made = 0
    const notifications = (...states: ('delivered' | 'failed' | 'superseded')[]) =>
      world.write(({ deliveries }) =>
        deliveries.insert(
          states.map((state) => {
            const id = `${(at + ++made).toString(16).padStart(12, '0')}00`
            const outcome = state === 'failed' ? { status: 503, error: 'HTTP 503' } : {}
            return aDelivery(id, { accountId, flowId: aiFlowId, at: at + made, state, ...outcome })
          }),
        ),
      )
    const iso = (nth: number) => new Date(at + nth).toISOString()
    await notifications('delivered', 'failed', 'failed', 'superseded')
    assert.equal((await health()).state, 'OK', 'twice may be an accident')
    await notifications('failed')
    const failing = await health()
    const deliveryId = `${(at + 5).toString(16).padStart(12, '0')}00`
    assert.deepEqual(failing, {
      state: 'FAILING',
      since: iso(2),
      lastSuccessAt: iso(1),
      lastFailure: { at: iso(5), status: 503, message: 'HTTP 503', deliveryId },
      last24h: { ok: 1, failed: 3 },
    })
    const { last24h: _counts, ...short } = failing
    assert.deepEqual((await api.listFlows()).items[0]?.health, short)
    await notifications('delivered')
    assert.deepEqual([(await health()).state, (await health()).since], ['OK', undefined])
    await world.clock.advance(86_400_000 + 10)
    assert.deepEqual((await health()).last24h, { ok: 0, failed: 0 })
    await assert.rejects(api.getFlowHealth({ aiFlowId: 'another' }), problem('flow_not_found'))
  })
}
