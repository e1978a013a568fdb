import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '@offhook/contract'
import { startWorld } from '#test/world/world.ts'

/** Names in the specification. */
const names = `accountUrl, accountVerifiedUrl, addressUrl, addressesUrl, addressNumbersUrl, authorizationOauthClientsSecretUrl,
  authorizationOauthClientsUrl, authorizationOauthTokenUrl, authorizationTokenUrl, balanceUrl, contactsUrl, internalContactsUrl,
  deviceCallerIdUrl, deviceUrl, devicesTariffAnnouncementUrl, devicesSingleRowDisplayUrl, deviceSimOrdersUrl, devicesUrl, faxlinesUrl,
  faxlineUrl, faxlineNumbersUrl, groupsUrl, groupUserUrl, groupNumbersUrl, historyEntryUrl, historyUrl, notificationsUrl, numberUrl,
  numbersUrl, addDirectDialUrl, changeDirectDialUrl, deleteDirectDialUrl, phonelineUrl, phonelineBlockAnonymousUrl, phonelineBusyOnBusyUrl,
  phonelineDevicesUrl, phonelineForwardingsUrl, phonelineNumbersUrl, phonelinesParallelForwardingUrl, phonelinesParallelForwardingsUrl,
  phonelineSvcIoUrl, phonelineSvcIoLogUrl, phonelineVoicemailGreetingUrl, phonelineVoicemailGreetingsUrl, phonelineVoicemailUrl,
  phonelineVoicemailsUrl, phonelinesUrl, portingUrl, portingsUrl, restrictionsUrl, sessionsCallUrl, settingsSvcioUrl, smsUrl,
  smsCallerIdsUrl, translationsUrl, userInfoUrl, userUrl, userDefaultDeviceUrl, userDevicesUrl, userExternalDevicesUrl,
  userMobileDevicesUrl, userRegisterDevicesUrl, usersUrl`.split(/,\s+/)

const some = {
  balanceUrl: '/v1/balance',
  deviceSimOrdersUrl: '/v1/{userId}/devices/{deviceId}/sim/orders',
  faxlineNumbersUrl: '/v1/{userId}/faxlines/{faxlineId}/numbers',
  historyEntryUrl: '/v1/{userId}/history/{entryId}',
  phonelinesParallelForwardingUrl: '/v1/{userId}/phonelines/{phonelineId}/parallelforwardings/{parallelForwardingId}',
  phonelineVoicemailGreetingUrl: '/v1/{userId}/phonelines/{phonelineId}/voicemails/{voicemailId}/greetings/{greetingId}',
  portingUrl: '/v1/portings/{portingId}',
  sessionsCallUrl: '/v1/sessions/calls',
  smsCallerIdsUrl: '/v1/{userId}/sms/{smsId}/callerids',
  userDefaultDeviceUrl: '/v1/users/{userId}/defaultdevice',
}

test('lists 63 addresses, each of an operation', async (t) => {
  const world = await startWorld(t, { settings: { OFFHOOK_PUBLIC_URL: 'https://phone.example.org' } })
  const index = (await world.client().getIndex()) as Record<string, string>
  assert.equal(names.length, 63)
  assert.deepEqual(Object.keys(index).toSorted(), names.toSorted())
  const paths = new Set(Object.values(operations).map(({ path }) => `https://phone.example.org${path}`))
  assert.deepEqual(
    names.filter((name) => !paths.has(index[name] ?? '')),
    [],
    'these addresses lead nowhere',
  )
  for (const [name, path] of Object.entries(some)) assert.equal(index[name], `https://phone.example.org${path}`)
})
