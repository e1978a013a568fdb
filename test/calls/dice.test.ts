import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { checkHistory, checkNothingLeft, type Finished } from './support/aftermath.ts'
import { Fleet } from './support/fleet.ts'
import { Sequence } from './support/sequence.ts'
import { serveTones } from './support/sound-server.ts'
import { CallFixture } from './support/call-fixture.ts'
import { startService } from './support/whole-service.ts'

/** `OFFHOOK_DICE=17` repeats one sequence, `OFFHOOK_DICE=1-1000` runs all of these. */
const [first = 1, last = first] = (process.env.OFFHOOK_DICE ?? '1-200').split('-').map(Number)
const concurrentFixtures = Math.min(16, last - first + 1)
const maxFailures = 3

const openFixtures = async (t: TestContext, fleet: Fleet): Promise<CallFixture[]> => {
  const [ours, theirs, unknownSources] = [await fleet.newAccount(), await fleet.newAccount(), await fleet.newAccount()]
  const { token } = await fleet.newPerson(unknownSources, 'eve')
  const tones = await serveTones(t)
  const fixtures: CallFixture[] = []
  for (let place = 0; place < concurrentFixtures; place++) {
    const people = [
      await fleet.newPerson(ours, 'ada'),
      await fleet.newPerson(theirs, 'bob'),
      await fleet.newPerson(ours, 'cleo'),
      await fleet.newOutsider('dora'),
    ]
    const hz = fleet.newTone()
    fixtures.push(new CallFixture(fleet, { people, strangersToken: token, announcement: { url: `${tones}/${hz}.wav`, hz } }))
  }
  return fixtures
}

/** Each fixture takes the next seed when it is free. */
const runAll = async (fixtures: readonly CallFixture[]): Promise<{ finished: Finished[]; failures: string[] }> => {
  const finished: Finished[] = []
  const failures: string[] = []
  let next = first
  const work = async (fixture: CallFixture): Promise<void> => {
    for (let seed = next++; seed <= last && failures.length < maxFailures; seed = next++) {
      const sequence = new Sequence(fixture, seed)
      try {
        finished.push(await sequence.run())
      } catch (error) {
        failures.push(`OFFHOOK_DICE=${seed}\n  ${sequence.trail.join('\n  ')}\n${(error as Error).message}`)
        return
      }
    }
  }
  await Promise.all(fixtures.map(work))
  return { finished, failures }
}

test('keeps API state and audio consistent under random commands, ends every call once and releases everything', async (t) => {
  const service = await startService(t, { OFFHOOK_EGRESS_ALLOW: '127.0.0.1' })
  const fleet = new Fleet(t, service)
  const { finished, failures } = await runAll(await openFixtures(t, fleet))
  assert.equal(failures.join('\n\n'), '')
  for (const { callId, seed } of finished) assert.equal(service.log.ends.get(callId)?.length, 1, `OFFHOOK_DICE=${seed}`)
  await checkHistory(service, finished)
  await checkNothingLeft(fleet, [...new Set(finished.flatMap(({ sides }) => sides.map(({ account }) => account)))])
  t.diagnostic(`${finished.length} sequences; the phones were late by ${Math.round(fleet.pacer.longestMs)} ms at most`)
})
