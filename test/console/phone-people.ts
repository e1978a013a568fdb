import type { Browser, Page } from 'playwright-core'
import { createClient } from '@offhook/sdk'
import { hearsTone, speakTone } from './page-tones.ts'
import type { Service } from './service.ts'
import { openVisitor, type Visitor } from './visitor.ts'

export interface Person {
  visitor: Visitor
  /** The service as their browser reaches it, and their login. */
  service: Service
  page: Page
  number: string
  tone: number
}

const password = 'correct horse battery'
let numbers = 0

/** Gives the person's own line, without voicemail, a number. */
const numberOf = async (service: Service, api: Service['api'], userId: string): Promise<string> => {
  const [line] = (await api.listPhonelines({ userId })).items
  const phonelineId = line?.id ?? ''
  for (const { id: voicemailId } of (await api.listPhonelineVoicemails({ userId, phonelineId })).items)
    await api.changePhonelineVoicemail({ userId, phonelineId, voicemailId }, { active: false })
  const [address] = (await service.api.listAddresses()).items
  const number = `+4930901820${String(numbers++).padStart(2, '0')}`
  const assigned = { accountId: service.notes.accountId, number, addressId: address?.id ?? '' }
  const { id: numberId } = await service.operator.assignNumber({}, assigned)
  await service.api.changeNumber({ numberId }, { endpointId: phonelineId })
  return number
}

/** User with a separate browser in which calls ring. `prepare`: script that runs before the page's scripts. */
export const newPerson = async (service: Service, browser: Browser, name: string, tone: number, prepare?: string): Promise<Person> => {
  const email = `${name.toLowerCase()}@example.com`
  const user = { accountId: service.notes.accountId, firstname: name, lastname: 'Berg', email, password }
  const { id: userId } = await service.operator.createUser({}, user)
  const { token } = await createClient({ baseUrl: service.http }).createSessionToken({}, { username: email, password })
  const number = await numberOf(service, createClient({ baseUrl: service.http, token }), userId)
  const own = { ...service, notes: { ...service.notes, email, password } }
  const visitor = await openVisitor(browser, own)
  const { page } = visitor
  await speakTone(page, tone)
  if (prepare !== undefined) await page.addInitScript(prepare)
  await visitor.logIn()
  await visitor.go('/phone')
  await page.getByRole('switch', { name: 'Ring in this browser' }).click()
  await page.getByText('Ready', { exact: true }).waitFor()
  return { visitor, service: own, page, number, tone }
}

export const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole('button', { name, exact: true }).click()

export const dial = async ({ page, visitor }: Person, number: string): Promise<void> => {
  await visitor.go('/phone')
  await page.getByRole('combobox', { name: 'Number or name' }).fill(number)
  await press(page, 'Call')
}

export const bar = (page: Page) => page.getByRole('region', { name: 'Your calls' })
export const incoming = (page: Page) => page.getByRole('alertdialog', { name: 'Incoming call' })

export const haveTwoWayAudio = (one: Person, other: Person): Promise<unknown> =>
  Promise.all([hearsTone(one.page, other.tone), hearsTone(other.page, one.tone)])
