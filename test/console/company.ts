import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { assistantTemplates } from '@offhook/contract/v3/assistant-templates.ts'
import { until } from '#test/machine/peer-process.ts'
import { temporaryFolder, type Scope } from '#test/machine/temporary-folder.ts'
import { finishedTalk } from './examples.ts'
import { bar, dial, incoming, newPerson, press, type Person } from './phone-people.ts'
import type { Service } from './service.ts'
import { openBrowser, openVisitor, timeoutMs } from './visitor.ts'

/** Small company with people, contacts and calls, for the screenshots. */
export interface Company {
  /** Id of a call to the assistant. */
  callId: string
  receptionId: string
  scheduleId: string
  /** Has called the administrator, and can call again. */
  colleague: Person
  /** Number of the administrator. */
  number: string
}

const contacts = [
  ['Bergmann Logistics', '+4940123456', 'dispatch@bergmann.example'],
  ['Dr. Petra Lindner', '+493023125100', 'lindner@practice.example'],
  ['Helen Brooks', '+442079460111', 'helen.brooks@example.com'],
  ['Marco Conti', '+390612345678', 'marco@conti.example'],
  ['Nordlicht Printing', '+494312345678', 'order@nordlicht.example'],
  ['Yasmin Aydin', '+4917612345678', 'yasmin.aydin@example.com'],
] as const

const message = 'Hello Clara, this is Jonas. The new price list is ready. Please call me back before five.'

const day = [
  { from: '09:00', to: '12:30' },
  { from: '13:30', to: '17:30' },
]

/** Creates everything of the company except its calls. */
const seedCompany = async ({
  api,
  operator,
  notes: { accountId },
}: Service): Promise<Pick<Company, 'receptionId' | 'scheduleId' | 'number'>> => {
  await operator.updateAccount({ accountId }, { company: 'Hansen Furniture' })
  await operator.updateUser({ accountId, userId: 'w0' }, { firstname: 'Clara', lastname: 'Hansen' })
  await api.changePhoneline({ userId: 'w0', phonelineId: 'p0' }, { alias: 'Clara Hansen' })
  for (const [name, number, email] of contacts) await api.createContact({}, { name, numbers: [number], emails: [email], shared: true })
  const week = { MO: day, TU: day, WE: day, TH: day, FR: [{ from: '09:00', to: '14:00' }] }
  const days = [
    { date: '--12-24', name: 'Christmas Eve', open: [] },
    { date: '--12-31', name: 'New Year’s Eve', open: [{ from: '09:00', to: '12:00' }] },
  ]
  const { id: scheduleId } = await api.createSchedule({}, { name: 'Office', timeZone: 'Europe/Berlin', week, days })
  const { id: receptionId } = await api.createFlow({}, { name: 'Reception', endpoint: 'assistant' })
  await api.changeAssistant({ aiFlowId: receptionId }, { settings: assistantTemplates.reception.en.settings })
  await api.publishAssistant({ aiFlowId: receptionId }, { note: 'The first' })
  const number = '+493090182099'
  const [address] = (await api.listAddresses()).items
  const { id: numberId } = await operator.assignNumber({}, { accountId, number, addressId: address?.id ?? '' })
  await api.changeNumber({ numberId }, { endpointId: 'p0' })
  return { scheduleId, receptionId, number }
}

/** WAV file in which an embedded voice repeats the message: a voicemail does not wait for a silent caller. */
const spokenMessage = async (t: Scope, { api }: Service): Promise<string> => {
  const file = join(await temporaryFolder(t), 'message.wav')
  await writeFile(file, await api.makeSpeechSample({}, { language: 'en-US', text: message }))
  return file
}

/** The colleague leaves a voicemail for the administrator, which is transcribed. */
const leaveMessage = async (t: Scope, service: Service, caller: Person, number: string): Promise<void> => {
  const line = { userId: 'w0', phonelineId: 'p0' }
  const [box] = (await service.api.listPhonelineVoicemails(line)).items
  const answersAfter = (timeout: number) =>
    service.api.changePhonelineVoicemail({ ...line, voicemailId: box?.id ?? '' }, { active: true, timeout, transcription: true })
  await answersAfter(0)
  const browser = await openBrowser(t, { microphone: await spokenMessage(t, service) })
  const visitor = await openVisitor(browser, caller.service)
  await visitor.logIn()
  await dial({ ...caller, visitor, page: visitor.page }, number)
  await bar(visitor.page).getByText('0:2', { exact: false }).first().waitFor()
  await press(visitor.page, 'Hang up')
  const written = async () => (await service.api.listOwnHistory()).items.find(({ messageText }) => messageText?.state === 'DONE')
  await until('the text of the message', written, timeoutMs)
  await answersAfter(30)
}

/** The administrator calls a person, and they talk for a moment. */
const converseWith = async (browser: Browser, service: Service, person: Person): Promise<void> => {
  const visitor = await openVisitor(browser, service)
  await visitor.logIn()
  const { page } = visitor
  await dial({ ...person, service, visitor, page }, person.number)
  await incoming(person.page).getByRole('button', { name: 'Accept' }).click()
  await bar(page).getByText('0:04').waitFor()
  await press(page, 'Hang up')
  await bar(page).getByText('Call ended').first().waitFor()
  await page.context().close()
}

/** Creates the company in about a minute, because its calls are real. */
export const openCompany = async (t: Scope, service: Service, browser: Browser): Promise<Company> => {
  const furnished = await seedCompany(service)
  const colleague = await newPerson(service, browser, 'Jonas', 620)
  await leaveMessage(t, service, colleague, furnished.number)
  const callId = await finishedTalk(service, { hurry: false })
  await converseWith(browser, service, await newPerson(service, browser, 'Mia', 1150))
  return { ...furnished, colleague, callId }
}

/** The colleague calls the administrator, whose page answers. */
export const receiveCall = async (page: Page, { colleague, number }: Company): Promise<void> => {
  await page.getByRole('switch', { name: 'Ring in this browser' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  await dial(colleague, number)
  await incoming(page).getByRole('button', { name: 'Accept' }).click()
  await bar(page).getByText('0:05').waitFor()
}
