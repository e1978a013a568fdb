import { operations, type Operation } from '@offhook/contract'

const holder = { name: 'Example', street: 'Chausseestr.', number: '1', postcode: '10115', city: 'Berlin', country: 'DE' }

const always = [{ from: '00:00', to: '24:00' }]

export const calendar = {
  timeZone: 'UTC',
  week: { MO: always, TU: always, WE: always, TH: always, FR: always, SA: always, SU: always },
  days: [],
  services: [{ id: 'talk', name: 'Talk', minutes: 30 }],
  people: [{ id: 'lee', name: 'Dr Lee' }],
}

/** Accepted body of an operation whose shape alone does not produce one. */
export const bodies: Record<string, (ids: Record<string, string>) => unknown> = {
  changeAddress: () => ({ countrycode: 'DE', postcode: '10115', city: 'Berlin', street: 'Chausseestr.', number: '1' }),
  changeDevice: () => ({ dnd: true }),
  setLocalPrefix: () => ({ value: '030', active: true }),
  setDeviceCallerId: (ids) => ({ value: ids.e164 }),
  setFaxlineCallerId: (ids) => ({ value: ids.e164 }),
  setGroupFaxlineCallerId: (ids) => ({ value: ids.e164 }),
  setExternalTargetNumber: () => ({ number: '+493023125999' }),
  createExternalDevice: () => ({ alias: 'Door', number: '+493023125998' }),
  createUserDevice: () => ({ type: 'REGISTER', alias: 'Desk' }),
  addPhonelineDevice: (ids) => ({ deviceId: ids.deviceId }),
  addGroupDevice: (ids) => ({ deviceId: ids.deviceId }),
  createGroup: () => ({ alias: 'Support' }),
  changeGroup: () => ({ alias: 'MARKERA group' }),
  createContact: () => ({ name: 'Grace', emails: [], numbers: [] }),
  importContacts: () => ({ format: 'CSV', base64Content: Buffer.from('Name\nGrace').toString('base64') }),
  importContactsFromCsv: () => ({ base64Content: Buffer.from('Name\nGrace').toString('base64') }),
  createContactV2: () => ({ name: 'Grace', numbers: [{ number: '+4915112345678', type: [] }], scope: 'PRIVATE' }),
  changeContactV2: () => ({ name: 'PRIVATEADA contact', emails: [], numbers: [], scope: 'PRIVATE' }),
  changeContact: () => ({ name: 'PRIVATEADA contact', emails: [], numbers: [] }),
  changeHistoryEntry: () => ({ read: true }),
  changeHistoryEntryV1: () => ({ read: true }),
  changeHistoryInBulk: (ids) => ({ ids: [ids.entryId], action: 'READ' }),
  changeOwnHistory: (ids) => ({ items: [{ id: ids.entryId, read: true }] }),
  changeOwnHistoryEntry: () => ({ read: true }),
  createNotification: (ids) => ({ type: 'CALL', endpointId: ids.phonelineId, via: 'EMAIL', recipient: 'a@example.com', direction: 'ALL' }),
  createNotificationOfKind: (ids) => ({ endpointId: ids.phonelineId, email: 'b@example.com', cause: 'MISSED' }),
  changeNumber: (ids) => ({ endpointId: ids.phonelineId }),
  addQuickDial: (ids) => ({ userId: ids.groupId, number: '77' }),
  changeQuickDial: (ids) => ({ userId: ids.userId, number: '44' }),
  replaceForwardings: () => ({ forwardings: [{ destination: '+493023125997', timeout: 10, active: true }] }),
  createParallelForwarding: () => ({ alias: 'Cell', destination: '+493023125996', active: true }),
  changeParallelForwarding: () => ({ alias: 'Cell', destination: '+493023125995', active: false }),
  setPhonelineSvcio: () => ({ incomingUrl: 'https://example.com/in', outgoingUrl: '' }),
  setSvcio: () => ({ incomingUrl: 'https://example.com/in', outgoingUrl: '' }),
  createSmsCallerId: () => ({ phonenumber: '+4915799912345' }),
  verifySmsCallerId: () => ({ code: '000000' }),
  changeSmsCallerId: () => ({ defaultNumber: true }),
  setDefaultDevice: (ids) => ({ deviceId: ids.deviceId }),
  createOauthClient: () => ({ name: 'App', redirectUris: ['https://example.com/cb'] }),
  updateOauthClient: () => ({ name: 'PRIVATEADA app', redirectUris: ['https://example.com/cb'] }),
  // Rejected: ids of users count in each account, so a new one would have an id of the other account.
  addUser: () => ({ email: 'added@example.com', firstname: 'Added', lastname: 'User', password: 'short' }),
  createIdentityProvider: () => ({ name: 'Company', oidc: { issuer: 'https://login.example', clientId: 'x' } }),
  createInvitation: () => ({ email: 'invited@example.com' }),
  createPersonalToken: () => ({ name: 'Script' }),
  startPorting: () => ({ numbers: ['+493023125990'], holder, email: 'a@example.com' }),
  correctPorting: () => ({ holder }),
  createFlow: () => ({ name: 'Bot' }),
  changeFlow: () => ({ name: 'MARKERA flow' }),
  changeAssistant: () => ({ settings: { greeting: 'MARKERA greeting', prompt: '' } }),
  changeRollout: () => ({ stable: 1 }),
  createAuditStream: () => ({ kind: 'WEBHOOK', url: 'https://example.com/audit' }),
  createRole: () => ({ name: 'Support', permissions: ['CAN_GET_HISTORY'] }),
  changeRole: () => ({ name: 'MARKERA role', permissions: [] }),
  setUserRoles: () => ({ roleIds: [] }),
  createCalendar: () => ({ ...calendar, name: 'Practice' }),
  changeCalendar: () => ({ ...calendar, name: 'MARKERA calendar' }),
  createBooking: () => ({ service: 'talk', start: '2026-11-30T12:00:00Z' }),
  moveBooking: () => ({ start: '2026-11-30T13:00:00Z' }),
  createSchedule: () => ({ name: 'Shop', timeZone: 'Europe/Berlin', week: {}, days: [] }),
  changeSchedule: () => ({ name: 'MARKERA hours', timeZone: 'Europe/Berlin', week: {}, days: [] }),
  overrideSchedule: () => ({ state: 'CLOSED' }),
  setRouting: (ids) => ({ rules: [{ scheduleId: ids.scheduleId, when: 'CLOSED', action: 'ANNOUNCE' }], overflow: [] }),
  setScenario: (ids) => ({ name: ids.scenarioName, steps: [{ say: 'MARKERA' }] }),
  addKnowledge: () => ({ text: 'MARKERA text' }),
  callFlow: (ids) => ({ billingDevice: ids.deviceId, toPhoneNumber: '493023125994' }),
  startCall: (ids) => ({ deviceId: ids.deviceId, caller: ids.deviceId, callee: '+493023125993' }),
  transferCall: () => ({ attended: false, phoneNumber: '+493023125992' }),
  announceInCall: () => ({ url: 'https://example.com/a.wav' }),
  sendDtmf: () => ({ sequence: '12#' }),
  orderSim: (ids) => ({ addressId: ids.addressId }),
}

/** Operations whose path parameter of a common name has another meaning. */
export const otherIds: Record<string, Record<string, string>> = {
  getGroupFaxlineCallerId: { faxlineId: 'groupFaxlineId' },
  setGroupFaxlineCallerId: { faxlineId: 'groupFaxlineId' },
  listGroupFaxlineNumbers: { faxlineId: 'groupFaxlineId' },
  setIncomingCallDisplay: { deviceId: 'externalDeviceId' },
  setExternalTargetNumber: { deviceId: 'externalDeviceId' },
  assignSim: { deviceId: 'mobileDeviceId' },
  removeSim: { deviceId: 'mobileDeviceId' },
  listSimOrders: { deviceId: 'mobileDeviceId' },
  orderSim: { deviceId: 'mobileDeviceId' },
  getDeviceContingents: { deviceId: 'mobileDeviceId' },
  deleteQuickDial: { numberId: 'quickdialId' },
  getTimeline: { callId: 'timelineCallId' },
  explainCall: { callId: 'timelineCallId' },
  getCallScenario: { callId: 'timelineCallId' },
  setScenario: { name: 'scenarioName' },
  getScenario: { name: 'scenarioName' },
  deleteScenario: { name: 'scenarioName' },
  getResult: { callId: 'resultCallId' },
  redeliverResult: { callId: 'resultCallId' },
  deleteSvcioSecret: { secretId: 'svcioSecretId' },
}

type Shape = {
  type?: string
  enum?: unknown[]
  properties?: Record<string, Shape>
  required?: string[]
  items?: Shape
  anyOf?: Shape[]
  minLength?: number
}

/** Minimal value of a shape: required fields only. */
export const exampleOf = (shape: Shape): unknown => {
  if (shape.enum) return shape.enum[0]
  if (shape.anyOf) return exampleOf(shape.anyOf[0] ?? {})
  if (shape.type === 'object')
    return Object.fromEntries((shape.required ?? []).map((name) => [name, exampleOf(shape.properties?.[name] ?? {})]))
  if (shape.type === 'array') return []
  if (shape.type === 'boolean') return true
  if (shape.type === 'integer' || shape.type === 'number') return 1
  return 'x'.repeat(Math.max(1, shape.minLength ?? 1))
}

export const exampleBody = (operation: Operation, ids: Record<string, string>): unknown =>
  bodies[operation.id]?.(ids) ?? (operation.body ? exampleOf(operation.body) : undefined)

/** Paths of all text fields inside a body of this shape. */
export const textFields = (shape: Shape, at: string[] = []): string[][] => {
  if (shape.anyOf) return shape.anyOf.flatMap((one) => textFields(one, at))
  if (shape.type === 'string') return [at]
  if (shape.type === 'array') return textFields(shape.items ?? {}, [...at, '0'])
  return Object.entries(shape.properties ?? {}).flatMap(([name, inner]) => textFields(inner, [...at, name]))
}

/** All user operations except the one that ends the session of the tests. */
export const userOperations = (): Operation[] =>
  Object.values<Operation>(operations).filter(({ auth, id }) => auth === 'user' && !['deleteSessionToken', 'endSingleSignOn'].includes(id))
