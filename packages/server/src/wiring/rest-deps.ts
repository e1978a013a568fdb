import { webAuthn } from '#adapters/passkeys/web-authn.ts'
import { oidcLogins } from '#adapters/sign-on/oidc-logins.ts'
import { samlLogins } from '#adapters/sign-on/saml-logins.ts'
import { txtRecords } from '#adapters/sign-on/txt-records.ts'
import { argon2Passwords } from '#adapters/passwords/argon2-passwords.ts'
import { retentionLimits } from '#core/account/retention/retention.ts'
import { SoftphoneLinks } from '#core/account/devices/softphone-links.ts'
import { Authenticator } from '#core/account/identity/tokens/authenticate.ts'
import type { Passwords } from '#core/kernel/ports/account.ts'
import { FaxLinks } from '#core/messages/fax/papers/fax-links.ts'
import { acceptSms } from '#core/messages/sms/sending/accept-sms.ts'
import { RecordingLinks } from '#core/telephone/recordings/recording-links.ts'
import type { HandlerDeps, Installation } from '#http/handler/handler-deps.ts'
import type { SignOn } from '#core/kernel/ports/sign-on.ts'
import type { Settings } from '#settings/config.ts'
import { bracketed } from '@offhook/sip/grammar/uri.ts'
import { allCleanUps } from './clean-ups.ts'
import type { Core } from './core.ts'
import type { Platform } from './platform.ts'
import { timelineDays } from './timelines.ts'

interface RestNeeds {
  platform: Platform
  core: Core
  installation: Installation
  replaced: { passwords?: Passwords; txtRecords?: SignOn['txtRecords'] }
}

/** Dependencies of the REST API. */
export const restParts = ({ platform, core, installation, replaced }: RestNeeds): HandlerDeps => {
  const { telephone, sms, faxes, calls, timelines, presence, listeners, trials, testRunner, speech, agent, sandbox, pushKey, wake } = core
  const { restStore: store, clock, vault } = platform
  const links = { store, clock, vault, publicUrl: installation.publicUrl }
  const authenticator = new Authenticator(store, clock)
  platform.cacheResets.add(() => authenticator.forget())
  return {
    ...platform,
    store,
    installation,
    calls,
    timelines,
    presence,
    talks: telephone.talks,
    phones: telephone.phones,
    phonePages: telephone.phones,
    phoneTickets: telephone.phoneTickets,
    callNotices: telephone.callNotices,
    listeners,
    trials,
    testRunner,
    speech,
    agent,
    sandbox,
    pushKey,
    wake,
    cleanups: allCleanUps(clock),
    passwords: replaced.passwords ?? argon2Passwords(),
    passkeyProofs: webAuthn(),
    signOn: { oidc: oidcLogins(platform.outbound), saml: samlLogins(platform.wallClock), txtRecords: replaced.txtRecords ?? txtRecords() },
    authenticator,
    orders: {
      startCall: (order) => telephone.callRouter.startCall(order),
      sendFax: (order) => faxes.accept(order),
      sendSms: (order) => acceptSms(sms.deps, order),
    },
    sms: sms.deps,
    smsRoutes: sms.states,
    smsGateway: sms.gateway,
    trunkStates: telephone.telephony.trunkStates,
    recordingLinks: new RecordingLinks(links),
    faxLinks: new FaxLinks(links),
    softphoneLinks: new SoftphoneLinks(links),
  }
}

/** Path of SIP over WebSocket on the port of the REST API. */
export const sipWebSocketPath = '/sip'

export const describeInstallation = (settings: Settings, { telephone, sms }: Core, publicUrl: () => string): Installation => {
  const { telephony } = telephone
  const { OFFHOOK_SIP_DOMAIN: domain, OFFHOOK_SIP_WS_URL: webSocketUrl } = settings
  const host = bracketed(domain?.host ?? settings.OFFHOOK_PUBLIC_ADDRESS ?? settings.OFFHOOK_SIP.host)
  const ownWebSocket = telephony.port('wss') ?? telephony.port('ws')
  const scheme = telephony.port('wss') === undefined ? 'ws' : 'wss'
  return {
    publicUrl,
    sip: {
      host,
      port: domain?.port ?? telephony.port('udp') ?? settings.OFFHOOK_SIP.port,
      webSocketUrl() {
        if (webSocketUrl !== undefined) return webSocketUrl
        return ownWebSocket === undefined
          ? `${publicUrl().replace(/^http/, 'ws')}${sipWebSocketPath}`
          : `${scheme}://${host}:${ownWebSocket}${sipWebSocketPath}`
      },
    },
    smppAddresses: sms.addresses,
    carrierCode: settings.OFFHOOK_CARRIER_CODE,
    country: settings.OFFHOOK_COUNTRY,
    currency: settings.OFFHOOK_CURRENCY,
    passwordGrant: settings.OFFHOOK_PASSWORD_GRANT,
    mail: settings.OFFHOOK_SMTP_URL !== undefined,
    retention: retentionLimits(settings.OFFHOOK_RECORDINGS_DAYS, timelineDays(settings)),
  }
}
