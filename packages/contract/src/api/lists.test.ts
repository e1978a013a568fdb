import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './operations.ts'
import { isList, takesIdempotencyKey, type Operation } from '../operation.ts'

/** Maximum length of these lists, or why they stay short. */
const short: Record<string, number | string> = {
  listAddresses: 'made by the operator',
  listAddressNumbers: 'those of one address',
  listOauthClients: 50,
  getOauthClient: 1,
  listPersonalTokens: 50,
  listLeashes: 'those of personal tokens and connected apps',
  listAuditStreams: 5,
  listIdentityProviders: 20,
  listRoles: 100,
  listUserDevices: 100,
  listRegisterDevices: 100,
  listMobileDevices: 100,
  listExternalDevices: 100,
  listSimOrders: 'those of one device',
  listFaxlines: 'booked by the operator',
  listFaxlineNumbers: 'those of one line',
  listGroupFaxlineNumbers: 'those of one line',
  listGroups: 200,
  listGroupNumbers: 'those of one group',
  listGroupUsers: 'those of one group',
  listGroupVoicemails: 'those of one group',
  listGroupFaxlines: 'those of one group',
  listGroupDevices: 'those of one group',
  listHolidays: 'those of one year',
  listInvitations: 1_000,
  listNotifications: 50,
  listPhonelines: 50,
  listPhonelineDevices: 100,
  listPhonelineNumbers: 'those of one line',
  listForwardings: 'those of one line',
  listParallelForwardings: 10,
  listPhonelineSvcioLog: 100,
  listPhonelineVoicemails: 'those of one line',
  listPhonelineGreetings: 20,
  listPortingDocuments: 5,
  listRestrictions: 'the names that were asked for',
  listSchedules: 50,
  listSvcioSecrets: 5,
  listSms: 'booked by the operator',
  listSmsCallerIds: 20,
  listPasskeys: 20,
  listGreetings: 20,
  listCalendars: 50,
  listCalls: 'calls that run',
  listFlowSecrets: 5,
  listVoices: 'those of the installation',
}

const isListOfUsers = (operation: Operation): boolean => operation.auth === 'user' && (isList(operation) || operation.continues === true)

/** Also when the request names no limit. */
const isPaged = ({ query }: Operation): boolean => {
  const limit: { default?: number } | undefined = query?.properties['limit']
  return limit?.default !== undefined
}

test('every list of an account is short, paged, or declared heavy', () => {
  const lists = Object.values<Operation>(operations).filter(isListOfUsers)
  assert.ok(lists.length > 50)
  for (const operation of lists)
    assert.ok(
      operation.heavy || isPaged(operation) || short[operation.id] !== undefined,
      `${operation.id} may become long: page it, or declare it heavy`,
    )
  const names = new Set(lists.map(({ id }) => id))
  for (const id of Object.keys(short)) assert.ok(names.has(id), `${id} is no list any more`)
})

test('operations with a large body are declared heavy', () => {
  const large = Object.values<Operation>(operations).filter(({ auth, bodyLimit = 0 }) => auth === 'user' && bodyLimit > 1_000_000)
  assert.ok(large.length > 5)
  for (const { id, heavy } of large) assert.ok(heavy, id)
})

const secretFields = /^(clientSecret|link|password|puk\d|recoveryCodes|secret|token)$/

const fieldsOf = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : []
  return [...own, ...Object.values(schema).flatMap(fieldsOf)]
}

test('a reply with a secret that may be kept for an Idempotency-Key is declared', () => {
  const kept = Object.values<Operation>(operations).filter(takesIdempotencyKey)
  const secret = kept.filter(({ reply }) => fieldsOf(reply).some((name) => secretFields.test(name)))
  assert.ok(secret.length > 20)
  for (const { id, credentials } of secret) assert.ok(credentials, `${id} returns a secret: declare its credentials`)
})
