import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentWav } from '#test/sound/wav.ts'
import { databases, startWorld } from '#test/world/world.ts'
import { withCode } from '#test/http/with-code.ts'

/** Mono, 16-bit PCM; the required rate is 8000. */
const wav = (seconds: number, rate = 8000): string => silentWav({ seconds, rate }).toString('base64')

for (const database of databases) {
  test(`${database}: changes the voicemail of a line`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const line = { userId: 'w1', phonelineId: 'p1' }
    const named = { ...line, voicemailId: 'v1' }
    const expected = {
      id: 'v1',
      alias: 'Voicemail Ada L2',
      timeout: 20,
      active: true,
      transcription: true,
      canTranscribe: false,
      transcriptionsUrl: '/v2/w1/history?types=VOICEMAIL&connectionIds=v1',
      greetingsUrl: '/v1/w1/phonelines/p1/voicemails/v1/greetings',
      activeGreetingAlias: '',
      activeGreetingId: '',
      accessNumber: '50000',
    }
    assert.deepEqual(await bob.api.listPhonelineVoicemails(line), { items: [expected] })
    await bob.api.changePhonelineVoicemail(named, { timeout: 0 })
    await bob.api.changePhonelineVoicemail(named, { active: false, transcription: false, timeout: 120 })
    await bob.api.changePhonelineVoicemail(named, {})
    assert.deepEqual(await bob.api.getPhonelineVoicemail(named), { ...expected, active: false, transcription: false, timeout: 120 })
    await assert.rejects(bob.api.changePhonelineVoicemail(named, { timeout: 121 }), withCode('parameter_invalid', 'timeout'))
    await assert.rejects(bob.api.changePhonelineVoicemail({ ...line, voicemailId: 'v0' }, {}), withCode('voicemail_not_found'))
    await assert.rejects(bob.api.getPhonelineVoicemail({ userId: 'w0', phonelineId: 'p0', voicemailId: 'v0' }), { status: 403 })
    await assert.rejects(ada.api.getPhonelineVoicemail({ userId: 'w0', phonelineId: 'p0', voicemailId: 'v1' }), { status: 404 })
    for (const address of [expected.greetingsUrl, expected.transcriptionsUrl]) {
      const reply = await fetch(world.url + address, { headers: { authorization: `Bearer ${bob.token}` } })
      assert.equal(reply.status, 200, `${address} is an address that exists`)
      await reply.body?.cancel()
    }
  })

  test(`${database}: keeps exactly one greeting active`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    const named = { userId: 'w1', phonelineId: 'p1', voicemailId: 'v1' }
    const activeOf = async () =>
      (await bob.api.listPhonelineGreetings(named)).items.filter(({ active }) => active).map(({ alias }) => alias)

    const office = await bob.api.createPhonelineGreeting(named, { alias: 'Office', base64Content: wav(2) })
    assert.deepEqual(office, { id: office.id, alias: 'Office', active: true, duration: 2 })
    const holiday = await bob.api.createPhonelineGreeting(named, { alias: 'Holiday', base64Content: wav(1) })
    assert.deepEqual(await activeOf(), ['Office'])
    const one = (greetingId: string) => ({ ...named, greetingId })
    await bob.api.changePhonelineGreeting(one(holiday.id), { active: true })
    assert.deepEqual(await activeOf(), ['Holiday'])
    await bob.api.changePhonelineGreeting(one(office.id), { active: false })
    await assert.rejects(bob.api.changePhonelineGreeting(one(holiday.id), { active: false }), { status: 409 })
    const { activeGreetingAlias, activeGreetingId } = await bob.api.getPhonelineVoicemail(named)
    assert.deepEqual([activeGreetingAlias, activeGreetingId], ['Holiday', holiday.id])
    assert.deepEqual(await bob.api.getPhonelineGreeting(one(office.id)), { ...office, active: false, base64Content: wav(2) })

    await bob.api.createPhonelineGreeting(named, { alias: 'Latest', base64Content: wav(1) })
    await bob.api.deletePhonelineGreeting(one(holiday.id))
    assert.deepEqual(await activeOf(), ['Latest'], 'the latest takes the place of the deleted one')
    await bob.api.deletePhonelineGreeting(one(office.id))
    assert.deepEqual(await activeOf(), ['Latest'])
    await assert.rejects(bob.api.deletePhonelineGreeting(one(office.id)), withCode('greeting_not_found'))
    await assert.rejects(bob.api.getPhonelineGreeting(one('abc')), { status: 404 })
    const latest = (await bob.api.listPhonelineGreetings(named)).items[0]?.id ?? ''
    for (const person of [ada, eve])
      await assert.rejects(person.api.deletePhonelineGreeting({ userId: 'w0', phonelineId: 'p0', voicemailId: 'v0', greetingId: latest }), {
        status: 404,
      })

    const stereo = { alias: 'Music', base64Content: wav(1, 44_100) }
    await assert.rejects(bob.api.createPhonelineGreeting(named, stereo), withCode('parameter_invalid', 'base64Content', '44100'))
    await assert.rejects(bob.api.createPhonelineGreeting(named, { alias: 'Long', base64Content: 'A'.repeat(2_900_000) }), { status: 400 })
    await assert.rejects(bob.api.createPhonelineGreeting(named, { alias: 'Longer', base64Content: 'A'.repeat(4_000_000) }), { status: 413 })
    for (let count = 1; count < 20; count++) await bob.api.createPhonelineGreeting(named, { alias: `${count}`, base64Content: wav(1) })
    await assert.rejects(bob.api.createPhonelineGreeting(named, { alias: '21', base64Content: wav(1) }), withCode('conflict', '20'))
  })

  test(`${database}: addresses voicemails by their own id`, async (t) => {
    const world = await startWorld(t, { database })
    const ada = await world.newAccount()
    const bob = await world.newUser(ada.accountId)
    const eve = await world.newAccount()
    await ada.api.createGroup({}, { alias: 'Sales' })
    const [own, adas, group] = ['v1', 'v0', 'v2'].map((voicemailId) => ({ voicemailId })) as [Named, Named, Named]
    assert.equal((await bob.api.getVoicemail(own)).greetingsUrl, '/v1/voicemails/v1/greetings')
    await bob.api.changeVoicemail(own, { timeout: 5 })
    await assert.rejects(bob.api.getVoicemail(adas), { status: 403 })
    await assert.rejects(bob.api.changeVoicemail(adas, { timeout: 5 }), { status: 403 })
    await assert.rejects(eve.api.getVoicemail(own), { status: 404 })
    const asAdmin = await ada.api.getVoicemail(own)
    assert.equal(asAdmin.timeout, 5)
    assert.match(asAdmin.transcriptionsUrl, /^\/v2\/w1\/history/, 'the messages are in the history of the one who has the line')

    assert.equal((await bob.api.getVoicemail(group)).alias, 'Voicemail Sales')
    await assert.rejects(bob.api.changeVoicemail(group, { active: false }), { status: 403 })
    await assert.rejects(bob.api.createGreeting(group, { alias: 'Hello', base64Content: wav(1) }), { status: 403 })
    await ada.api.changeVoicemail(group, { active: false })
    const { id } = await ada.api.createGreeting(group, { alias: 'Hello', base64Content: wav(1) })
    assert.deepEqual(
      (await bob.api.listGreetings(group)).items.map(({ alias }) => alias),
      ['Hello'],
    )
    assert.equal((await bob.api.getGreeting({ ...group, greetingId: id })).base64Content, wav(1))
    await assert.rejects(bob.api.deleteGreeting({ ...group, greetingId: id }), { status: 403 })
    await assert.rejects(ada.api.deleteGreeting({ ...own, greetingId: id }), { status: 404 }, 'a greeting of another voicemail')
    await ada.api.changeGreeting({ ...group, greetingId: id }, { active: true })
    await ada.api.deleteGreeting({ ...group, greetingId: id })
    assert.deepEqual((await ada.api.getVoicemail(group)).active, false)
  })
}

interface Named {
  voicemailId: string
}
