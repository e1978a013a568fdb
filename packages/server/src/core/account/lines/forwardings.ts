import { Problem } from '@offhook/contract/problem.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import type { Forwarding, ParallelForwarding, Phoneline } from '#core/kernel/ports/store/line.ts'
import { accountCountryOf, readDestination, requireReachable } from './destination.ts'
import { phonelineOf } from './find-line.ts'

const maxParallel = 10

/** Checks every destination before any change; a rejection names the position in the list. */
export const replaceForwardings = async (
  tables: Tables,
  accountId: string,
  line: Phoneline,
  inputs: readonly Forwarding[],
  at: number,
): Promise<Forwarding[]> => {
  await lockLine(tables, accountId, line)
  const account = await accountCountryOf(tables, accountId)
  const list: Forwarding[] = []
  for (const [index, input] of inputs.entries()) {
    const field = `forwardings/${index}/destination`
    const destination = await readDestination(tables, account, field, input.destination)
    await refuseLoop(tables, accountId, line.id, { field, destination, active: input.active })
    if (input.active) await requireReachable(tables, account, field, destination, at)
    list.push({ destination, timeout: input.timeout, active: input.active })
  }
  await tables.phonelines.replaceForwardings(accountId, line.id, list)
  return list
}

export const addParallelForwarding = async (
  tables: Tables,
  accountId: string,
  line: Phoneline,
  input: Omit<ParallelForwarding, 'id'>,
  at: number,
): Promise<ParallelForwarding> => {
  await lockLine(tables, accountId, line)
  const present = await tables.phonelines.listParallelForwardings(accountId, line.id)
  if (present.length >= maxParallel) throw new Problem('conflict', `A line rings at most ${maxParallel} destinations in parallel.`)
  const forwarding = { ...input, destination: await readParallel(tables, accountId, line, input, at) }
  return { id: await tables.phonelines.insertParallelForwarding(accountId, line.id, forwarding), ...forwarding }
}

export const changeParallelForwarding = async (
  tables: Tables,
  accountId: string,
  line: Phoneline,
  id: number,
  change: Partial<Omit<ParallelForwarding, 'id'>>,
  at: number,
): Promise<ParallelForwarding> => {
  await lockLine(tables, accountId, line)
  const present = await tables.phonelines.findParallelForwarding(accountId, line.id, id)
  if (!present) throw new Problem('not_found')
  const input = { ...present, ...change }
  const forwarding = { ...input, destination: await readParallel(tables, accountId, line, input, at) }
  await tables.phonelines.updateParallelForwarding(accountId, line.id, forwarding)
  return forwarding
}

/** Prevents concurrent requests from forwarding two lines to each other, or from both taking the last allowed place. The line may be gone by then. */
const lockLine = async (tables: Tables, accountId: string, { id, owner }: Phoneline): Promise<void> => {
  await tables.accounts.lock(accountId)
  await phonelineOf(tables, accountId, { userId: owner, phonelineId: id })
}

const readParallel = async (
  tables: Tables,
  accountId: string,
  line: Phoneline,
  { destination: written, active }: { destination: string; active: boolean },
  at: number,
): Promise<string> => {
  const account = await accountCountryOf(tables, accountId)
  const destination = await readDestination(tables, account, 'destination', written, { parallel: true })
  await refuseLoop(tables, accountId, line.id, { field: 'destination', destination, active })
  if (active) await requireReachable(tables, account, 'destination', destination, at)
  return destination
}

interface Step {
  field: string
  destination: string
  active: boolean
}

/** Rejects forwarding loops. An inactive forwarding is only rejected when it points at its own line. */
const refuseLoop = async (tables: Tables, accountId: string, line: string, { field, destination, active }: Step): Promise<void> => {
  const first = await endpointOf(tables, accountId, destination)
  if (first === line) throw Problem.field(field, 'leads to this line itself', 'forwarding_loop')
  if (!active || first === undefined) return
  const seen = new Set([first])
  for (const endpoint of seen)
    for (const next of await reachedFrom(tables, accountId, endpoint)) {
      if (next === line) throw Problem.field(field, 'leads back to this line', 'forwarding_loop')
      seen.add(next)
    }
}

/** Forwarding destinations of a line inside the account. */
const reachedFrom = async (tables: Tables, accountId: string, line: string): Promise<string[]> => {
  const [one, other] = await Promise.all([
    tables.phonelines.listForwardings(accountId, line),
    tables.phonelines.listParallelForwardings(accountId, line),
  ])
  const active = [...one, ...other].filter((forwarding) => forwarding.active)
  const endpoints = await Promise.all(active.map(({ destination }) => endpointOf(tables, accountId, destination)))
  return endpoints.filter((endpoint) => endpoint !== undefined)
}

/** Extension of a destination inside the account; undefined for external numbers and the line's own voicemail. */
const endpointOf = async (tables: Tables, accountId: string, destination: string): Promise<string | undefined> => {
  if (destination === 'voicemail') return undefined
  if (!destination.startsWith('+')) return destination
  return (await tables.numbers.findByE164(accountId, destination))?.endpointId
}
