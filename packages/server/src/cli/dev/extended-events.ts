import {
  basicEvents,
  extendedEvents,
  usualExtendedEvents,
  webSocketEvents,
  type EventType,
  type ExtendedEvent,
} from '@offhook/contract/assistant/events.ts'
import type { Flow } from '../connection/choose-flow.ts'
import { Mistake } from '../terminal/mistake.ts'

type Setting = NonNullable<Flow['extended_events']>

const isEvent = (name: string): name is ExtendedEvent => (extendedEvents as readonly string[]).includes(name)

/** What `--events` asks for: without names the usual ones; `all`; or names with commas between them. */
export const eventsAskedFor = (option: string | true | undefined): readonly ExtendedEvent[] => {
  if (option === undefined) return []
  if (option === true) return usualExtendedEvents
  if (option === 'all') return extendedEvents
  const names = option.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isEvent(name))
  if (unknown.length > 0)
    throw new Mistake(2, `There is no event ${unknown.join(', ')}. --events all, or some of:\n${inLines(extendedEvents)}`)
  return names.filter(isEvent)
}

/** What the flow has and what was asked for: nothing that an endpoint gets already is taken away. */
export const withEvents = (has: Setting | undefined, asked: readonly ExtendedEvent[]): ExtendedEvent[] => {
  const before = namesOf(has)
  return extendedEvents.filter((name) => before.includes(name) || asked.includes(name))
}

/** In one line: what the endpoint gets, and how it gets more. */
export const eventsLine = (has: Setting | undefined, isWebhook: boolean): string => {
  const names = namesOf(has)
  const silent = names.filter((name) => isWebhook && (webSocketEvents as readonly EventType[]).includes(name))
  const notified = names.filter((name) => !silent.includes(name))
  const missing = extendedEvents.length - names.length
  return [
    [...basicEvents, ...notified].join(', '),
    ...(silent.length > 0 ? [`${silent.join(', ')} over a WebSocket only`] : []),
    ...(missing > 0 ? [`${missing} more with --events (the usual ones), --events all or --events name,…`] : []),
  ].join('; ')
}

const namesOf = (setting: Setting | undefined): readonly ExtendedEvent[] => {
  if (setting === true) return usualExtendedEvents
  return Array.isArray(setting) ? setting : []
}

const inLines = (names: readonly string[]): string => names.map((name) => `  ${name}`).join('\n')
