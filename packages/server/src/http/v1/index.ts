import { operations } from '@offhook/contract'
import type { IndexName, indexOperations } from '@offhook/contract/v1/index.ts'
import type { Handlers } from '../handler/context.ts'
import type { HandlerDeps } from '../handler/handler-deps.ts'

/** Operation of each name; its path is the address. */
const entries = {
  accountUrl: 'getAccount',
  accountVerifiedUrl: 'verifyAccount',
  addressUrl: 'getAddress',
  addressesUrl: 'listAddresses',
  addressNumbersUrl: 'listAddressNumbers',
  authorizationOauthClientsSecretUrl: 'resetOauthClientSecret',
  authorizationOauthClientsUrl: 'listOauthClients',
  authorizationOauthTokenUrl: 'exchangeToken',
  authorizationTokenUrl: 'createSessionToken',
  balanceUrl: 'getBalance',
  contactsUrl: 'listContacts',
  internalContactsUrl: 'listInternalContacts',
  deviceCallerIdUrl: 'getDeviceCallerId',
  deviceUrl: 'getDevice',
  devicesTariffAnnouncementUrl: 'getTariffAnnouncement',
  devicesSingleRowDisplayUrl: 'getSingleRowDisplay',
  deviceSimOrdersUrl: 'orderSim',
  devicesUrl: 'listUserDevices',
  faxlinesUrl: 'listFaxlines',
  faxlineUrl: 'getFaxline',
  faxlineNumbersUrl: 'listFaxlineNumbers',
  groupsUrl: 'listGroups',
  groupUserUrl: 'listGroupUsers',
  groupNumbersUrl: 'listGroupNumbers',
  historyEntryUrl: 'getHistoryEntryV1',
  historyUrl: 'listHistoryV1',
  notificationsUrl: 'listNotifications',
  numberUrl: 'changeNumber',
  numbersUrl: 'listUserNumbers',
  addDirectDialUrl: 'addQuickDial',
  changeDirectDialUrl: 'changeQuickDial',
  deleteDirectDialUrl: 'deleteQuickDial',
  phonelineUrl: 'getPhoneline',
  phonelineBlockAnonymousUrl: 'getBlockAnonymous',
  phonelineBusyOnBusyUrl: 'getBusyOnBusy',
  phonelineDevicesUrl: 'listPhonelineDevices',
  phonelineForwardingsUrl: 'listForwardings',
  phonelineNumbersUrl: 'listPhonelineNumbers',
  phonelinesParallelForwardingUrl: 'getParallelForwarding',
  phonelinesParallelForwardingsUrl: 'listParallelForwardings',
  phonelineSvcIoUrl: 'getPhonelineSvcio',
  phonelineSvcIoLogUrl: 'listPhonelineSvcioLog',
  phonelineVoicemailGreetingUrl: 'getPhonelineGreeting',
  phonelineVoicemailGreetingsUrl: 'listPhonelineGreetings',
  phonelineVoicemailUrl: 'getPhonelineVoicemail',
  phonelineVoicemailsUrl: 'listPhonelineVoicemails',
  phonelinesUrl: 'listPhonelines',
  portingUrl: 'getPorting',
  portingsUrl: 'listPortings',
  restrictionsUrl: 'listRestrictions',
  sessionsCallUrl: 'startCall',
  settingsSvcioUrl: 'getSvcio',
  smsUrl: 'listSms',
  smsCallerIdsUrl: 'listSmsCallerIds',
  translationsUrl: 'getTranslations',
  userInfoUrl: 'getUserInfo',
  userUrl: 'getUser',
  userDefaultDeviceUrl: 'setDefaultDevice',
  userDevicesUrl: 'listUserDevices',
  userExternalDevicesUrl: 'listExternalDevices',
  userMobileDevicesUrl: 'listMobileDevices',
  userRegisterDevicesUrl: 'listRegisterDevices',
  usersUrl: 'listUsers',
} as const satisfies Record<IndexName, keyof typeof operations>

export const indexHandlers = ({
  installation,
  sandbox,
}: Pick<HandlerDeps, 'installation' | 'sandbox'>): Handlers<typeof indexOperations> => ({
  getIndex: async () => {
    const base = installation.publicUrl()
    const addresses = Object.entries(entries).map(([name, id]) => [name, base + operations[id].path])
    const index = Object.fromEntries(addresses) as Record<IndexName, string>
    return { ...index, ...(sandbox && { sandboxTimeUrl: base + operations.getSandboxTime.path }) }
  },
})
