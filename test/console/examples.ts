import type { TimelineKind } from '@offhook/contract/v2/timeline.ts'
import { assistantTemplates } from '@offhook/contract/v3/assistant-templates.ts'
import { openTalk } from '#cli/say/typed-talk.ts'
import { until } from '#test/machine/peer-process.ts'
import type { Service } from './service.ts'

/** Existing resource for each `:name` in a console path, so that its page has content. */
export type Examples = Readonly<Record<string, string>>

export const makeExamples = async (service: Service): Promise<Examples> => {
  const { flowId, accountId } = service.notes
  await service.operator.bookAccountFeature({ accountId, feature: 'SVCIO' })
  return {
    flowId,
    accountId,
    userId: 'w0',
    phonelineId: 'p0',
    deviceId: 'e0',
    groupId: (await service.api.createGroup({}, { alias: 'Sales', members: ['w0'] })).id,
    calendarId: await calendarExample(service),
    scheduleId: (await service.api.createSchedule({}, officeHours)).id,
    tariffId: 'standard',
    portingId: String(await portingExample(service)),
    ...(await talkExamples(service)),
    ...(await assistantExamples(service)),
  }
}

const nine = [{ from: '09:00', to: '17:00' }]
const officeHours = {
  name: 'Office',
  timeZone: 'Europe/Berlin',
  week: { MO: nine, TU: nine, FR: [...nine, { from: '18:00', to: '20:00' }] },
  days: [{ date: '--12-24', name: 'Christmas Eve', open: [] }],
}

/** With a booking, so that the week is not empty. */
const calendarExample = async ({ api }: Service): Promise<string> => {
  const { id: calendarId } = await api.createCalendar(
    {},
    {
      name: 'Practice',
      timeZone: 'UTC',
      week: Object.fromEntries(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].map((day) => [day, [{ from: '00:00', to: '24:00' }]])),
      days: [],
      services: [{ id: 'check', name: 'Check-up', minutes: 30 }],
      people: [
        { id: 'lee', name: 'Dr Lee', week: { MO: nine } },
        { id: 'kim', name: 'Dr Kim' },
      ],
    },
  )
  const { items } = await api.findFreeSlots({ calendarId, max: 1 })
  await api.createBooking({ calendarId }, { service: 'check', start: items[0]?.start ?? '', name: 'Grace Hopper', confirm: true })
  return calendarId
}

/** A flow with an assistant gives its pages more content than the demo flow. */
const assistantExamples = async ({ api }: Service): Promise<Examples> => {
  const { settings } = assistantTemplates.reception.en
  const { id: aiFlowId } = await api.createFlow({}, { name: 'Reception', endpoint: 'assistant' })
  await api.changeAssistant({ aiFlowId }, { settings })
  await api.publishAssistant({ aiFlowId }, { note: 'The first' })
  await api.changeAssistant({ aiFlowId }, { settings: { ...settings, prompt: `${settings.prompt}\nBe brief.` } })
  await api.publishAssistant({ aiFlowId }, {})
  await api.addKnowledge({ aiFlowId }, { name: 'Opening hours', text: 'We are open from nine to five.' })
  const pages = ['assistant', 'versions', 'knowledge', 'results']
  return Object.fromEntries(pages.map((page) => [`/flows/:flowId/${page}`, aiFlowId]))
}

const portingExample = async ({ operator, notes: { accountId } }: Service): Promise<number> => {
  const holder = { name: 'Demo', street: 'Musterstraße', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }
  const porting = { accountId, numbers: ['+493023125998'], holder, email: 'holder@example.com' }
  return (await operator.createPorting({}, porting)).id
}

const talkExamples = async (service: Service): Promise<{ callId: string; entryId: string }> => {
  const callId = await finishedTalk(service)
  const { items } = await service.api.listOwnHistory()
  return { callId, entryId: items.find((entry) => entry.callId === callId)?.id ?? '' }
}

/** Ended call to the demo assistant with speech; returns its id. Without `hurry`, each utterance is played to its end. */
export const finishedTalk = async ({ api, notes }: Service, { hurry = true } = {}): Promise<string> => {
  const talk = await openTalk({ api }, notes.flowId, () => undefined)
  const { callId } = talk
  const happened = (wanted: TimelineKind, times = 1): Promise<unknown> =>
    until(wanted, async () => (await api.getTimeline({ callId })).items.filter(({ kind }) => kind === wanted)[times - 1])
  await happened(hurry ? 'attempt' : 'spoke')
  talk.send({ type: 'text', text: 'Good morning' })
  await (hurry ? happened('turn') : happened('spoke', 2))
  talk.send({ type: 'hangup' })
  await talk.ended
  return callId
}

/** `/flows/:flowId` → `/flows/17`. An example for the whole path takes precedence over one for the name. */
export const filled = (path: string, examples: Examples): string =>
  path.replaceAll(/:(\w+)\??/g, (_match, name: string) => {
    const example = examples[path] ?? examples[name]
    if (example === undefined) throw new Error(`say in test/console/examples.ts what :${name} of ${path} can be`)
    return encodeURIComponent(example)
  })
