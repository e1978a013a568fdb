import { Problem } from '@offhook/contract/problem.ts'
import type { UserCaller } from '../identity/caller/caller.ts'
import type { Flow } from '#core/kernel/ports/store/assistant/flows.ts'
import type { StoredSettings } from '#core/kernel/ports/store/assistant/flow-versions.ts'
import type { Tables } from '#core/kernel/ports/store/index.ts'
import { toSettingsElement } from './flow-element.ts'

/** More are not kept of a flow. */
const maxVersions = 100

/** How often the settings of a flow were changed, and one more. */
export const versionOf = ({ settings: { version = 1 } }: Flow): number => version

/** What is kept of a version: everything but keys and secrets, which stay as they are when it is restored. */
export const keptSettings = ({ name, settings }: Flow): StoredSettings => {
  const { disabledBecause: _because, ...element } = toSettingsElement(settings)
  return { name, ...element }
}

/** `If-Match` of RFC 9110: what somebody saw must still be so. Nothing was said: nothing is checked. */
export const requireSeen = (flow: Flow, ifMatch: string | undefined): void => {
  if (ifMatch === undefined) return
  const seen = ifMatch.split(',').map((tag) => tag.trim().replace(/^W\//, '').replaceAll('"', ''))
  if (!seen.includes('*') && !seen.includes(String(versionOf(flow)))) throw new Problem('flow_changed')
}

/** The changed flow with its version, which is written down; the present one, too, if it was saved before versions were kept. */
export const noteChange = async (
  tables: Tables,
  { accountId, userId }: UserCaller,
  present: Flow,
  changed: Flow,
  at: number,
): Promise<Flow> => {
  const version = versionOf(present)
  const [before, after] = [keptSettings(present), keptSettings(changed)]
  if (JSON.stringify(before) === JSON.stringify(after)) return withVersion(changed, version)
  await tables.flowVersions.insertPresent(accountId, present.id, { version, settings: before })
  await tables.flowVersions.insert(accountId, present.id, { version: version + 1, settings: after, author: userId, at }, maxVersions)
  return withVersion(changed, version + 1)
}

export const noteFirst = (tables: Tables, { accountId, userId }: UserCaller, flow: Flow, at: number): Promise<void> =>
  tables.flowVersions.insert(
    accountId,
    flow.id,
    { version: versionOf(flow), settings: keptSettings(flow), author: userId, at },
    maxVersions,
  )

const withVersion = (flow: Flow, version: number): Flow => ({ ...flow, settings: { ...flow.settings, version } })
