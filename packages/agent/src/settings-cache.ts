import type { AgentClock } from './clock.ts'
import type { AgentSettings, Host, Version } from './host.ts'

/** A version does not change, but the secrets that sign do: they are replaced a day before the old ones end. */
const retentionMs = 60_000

/** Not asked for again with every call. What is being written is, every time. */
export class SettingsCache {
  readonly #host: Pick<Host, 'settings'>
  readonly #clock: AgentClock
  readonly #known = new Map<string, { settings: Promise<AgentSettings>; until: number }>()

  constructor(host: Pick<Host, 'settings'>, clock: AgentClock) {
    this.#host = host
    this.#clock = clock
  }

  get(flowId: string, version: Version): Promise<AgentSettings> {
    if (version === 'draft') return this.#host.settings(flowId, version)
    const now = this.#clock.elapsed()
    for (const [key, { until }] of this.#known) if (until <= now) this.#known.delete(key)
    const key = `${flowId}/${version}`
    const known = this.#known.get(key)
    if (known) return known.settings
    const settings = this.#host.settings(flowId, version)
    this.#known.set(key, { settings, until: now + retentionMs })
    settings.catch(() => this.#known.delete(key))
    return settings
  }
}
