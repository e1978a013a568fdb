import type { Leg, SavedDialog } from '#core/kernel/ports/telephony.ts'
import { Office } from '#test/phones/telephone-office.ts'
import type { SipPhone } from '#test/phones/sip-phone.ts'
import { percentile, rounded } from '../shared/percentiles.ts'
import { openScope } from '../shared/scope.ts'

/**
 * Takeover of calls by another process: from when it knows their legs until a phone gets its first packet, with phones and both telephone sides in
 * this one process. Calls of two phones each; all concurrently, then one after the other.
 * `node bench/cluster/resume.ts [calls]`.
 */
const calls = Number(process.argv[2] ?? 50)

const scope = openScope()

interface Talk {
  legs: Leg[]
  phones: SipPhone[]
}

const answered = (leg: Leg): Promise<void> => new Promise((resolve) => leg.observe({ answered: resolve }))

const talk = async (office: Office): Promise<Talk> => {
  const caller = await office.answerCall()
  const { phone, deviceId } = await office.phone()
  const [leg] = await office.dialDevice(deviceId, { near: caller.leg })
  if (!leg) throw new Error('a phone is not registered')
  const up = answered(leg)
  await phone.accept(await phone.incoming())
  await up
  return { legs: [caller.leg, leg], phones: [caller.phone, phone] }
}

const kept = (leg: Leg): SavedDialog => JSON.parse(JSON.stringify(leg.dialog())) as SavedDialog

/** Milliseconds until each phone received the first packet of the new stream. */
const resume = async (office: Office, { legs, phones }: Talk): Promise<number[]> => {
  const saved = legs.map(kept)
  for (const leg of legs) leg.abandon()
  const before = phones.map(({ rtp }) => rtp.packets.at(-1)?.ssrc)
  const startedAt = performance.now()
  const heard = phones.map(async ({ rtp }, at) => {
    await rtp.until(() => rtp.packets.at(-1)?.ssrc !== before[at], 'a phone hears nothing')
    return performance.now() - startedAt
  })
  const resumed = await office.telephony.resume(saved)
  legs.splice(0, legs.length, ...resumed.flatMap(({ leg }) => leg ?? []))
  if (legs.length !== saved.length) throw new Error(`not resumed: ${JSON.stringify(resumed)}`)
  return Promise.all(heard)
}

const [first, second, third] = [await Office.open(scope), await Office.open(scope), await Office.open(scope)]
const talks: Talk[] = []
for (let nth = 0; nth < calls; nth++) talks.push(await talk(first))
await Promise.all(talks.flatMap(({ phones }) => phones.map(({ rtp }) => rtp.until(() => rtp.packets.length > 5))))
// Warms up the media threads.
await Promise.all([second.answerCall(), third.answerCall()])
const startedAt = performance.now()
const cpu = process.cpuUsage()
const immediately = (await Promise.all(talks.map((one) => resume(second, one)))).flat()
const seconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(cpu)
const alone: number[] = []
for (const one of talks.slice(0, 20)) alone.push(...(await resume(third, one)))
console.log(
  JSON.stringify({
    bench: 'resume',
    calls,
    oneCallMs: { p50: percentile(alone, 0.5), p95: percentile(alone, 0.95) },
    atOnceMs: { p50: percentile(immediately, 0.5), p95: percentile(immediately, 0.95) },
    invitesPerSecond: rounded(immediately.length / seconds, 0),
    cpuMsPerLeg: rounded((user + system) / 1000 / immediately.length, 2),
  }),
)
await scope.end()
