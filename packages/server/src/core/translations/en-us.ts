import { errors, type ErrorCode } from '@offhook/contract/errors.ts'

/** The catalogue is the source of the English error texts; nothing is written twice. */
const errorTexts = Object.fromEntries(Object.entries(errors).map(([code, { text }]) => [`error.${code}`, text])) as Record<
  `error.${ErrorCode}`,
  string
>

export const enUs = {
  ...errorTexts,

  'porting.status.100': 'We are waiting for your signed form.',
  'porting.status.150': 'We are about to ask for your consent by e-mail.',
  'porting.status.160': 'We have sent you an e-mail. Please open the link in it.',
  'porting.status.170': 'Thank you for your consent. We are preparing the request.',
  'porting.status.200': 'We are waiting for the answer of your present provider.',
  'porting.status.250': 'We have sent the request to your present provider.',
  'porting.status.251': 'Your present provider could not be reached. We are trying again.',
  'porting.status.252': 'Your present provider has rejected the request. Please check your details.',
  'porting.status.400': 'The porting is accepted.',
  'porting.status.450': 'The switch is being prepared.',
  'porting.status.451': 'The switch is delayed. We are taking care of it.',
  'porting.status.500': 'The porting is complete.',
  'porting.status.600': 'The porting was cancelled.',

  'sim_order.status.ORDERED': 'We have received your order.',
  'sim_order.status.PICKED': 'Your SIM card is being packed.',
  'sim_order.status.SHIPPED': 'Your SIM card is on its way.',
  'sim_order.status.DELIVERED': 'Your SIM card has arrived.',
  'sim_order.status.ACTIVATED': 'Your SIM card works.',
  'sim_order.status.CANCELLED': 'The order was cancelled.',

  'mail.password_reset.subject': 'Choose a new password',
  'mail.password_reset.text':
    'Hello,\n\nsomebody asked for a new password for your account. If it was you, open this link within {minutes} minutes:\n\n{link}\n\nIf it was not you, do nothing: your password stays as it is.\n',
  'mail.verification.subject': 'Your verification code',
  'mail.verification.text': 'Hello,\n\nyour verification code is {code}.\n\nIf you did not expect this message, you can ignore it.\n',
  'mail.porting_optin.subject': 'Please confirm that your numbers may move',
  'mail.porting_optin.text':
    'Hello,\n\nwe have been asked to take over these numbers from your present provider:\n\n{numbers}\n\nIf you agree, open this link. It works once.\n\n{link}\n\nIf you do not agree, do nothing.\n',
  'mail.caller.anonymous': 'somebody without a number',
  'mail.missed_call.subject': 'Missed call from {caller}',
  'mail.missed_call.text': 'Hello,\n\nnobody took a call for {called} from {caller}.\n',
  'mail.voicemail.subject': 'New message from {caller}',
  'mail.voicemail.text':
    'Hello,\n\nthere is a message for {called} from {caller}. It lasts {seconds} seconds.\n\nTo hear it, dial 50000 from your phone, or fetch it from your history.\n',

  'sms.caller_id_code.text': '{code} is your code to confirm this number as a sender. It is valid for {minutes} minutes.',

  'page.login.title': 'Sign in',
  'page.login.email': 'E-mail address',
  'page.login.password': 'Password',
  'page.login.submit': 'Sign in',
  'page.login.failed': 'E-mail address or password is wrong.',
  'page.login.locked': 'Too many attempts. Please try again later.',
  'page.login.expired': 'This sign-in has expired. Please start again from the application.',

  'page.consent.title': 'Allow access',
  'page.consent.intro': '{client} would like to use your account.',
  'page.consent.scope': 'It asks for these permissions:',
  'page.consent.target': 'Your answer takes you to {host}.',
  'page.consent.allow': 'Allow',
  'page.consent.deny': 'Deny',
  'page.consent.all': 'Full access to your account',

  'page.reset.title': 'Choose a new password',
  'page.reset.password': 'New password',
  'page.reset.repeat': 'Repeat the new password',
  'page.reset.submit': 'Save password',
  'page.reset.done': 'Your password was changed. You can sign in with it now.',
  'page.reset.weak': 'The password must have at least 12 characters and must not be your e-mail address.',
  'page.reset.mismatch': 'The two passwords are not the same.',
  'page.reset.expired': 'This link was used already or has expired. Please ask for a new one.',

  'page.error.title': 'This did not work',
  'page.error.text': 'The application that sent you here made a mistake. Its makers will want to know this:',

  'page.porting_optin.title': 'Move your numbers',
  'page.porting_optin.intro': 'May these numbers of {holder} be moved to us from the present provider?',
  'page.porting_optin.submit': 'Yes, move the numbers',
  'page.porting_optin.done': 'Thank you. We are now asking your present provider to release your numbers.',
  'page.porting_optin.expired': 'This link was used already or has expired. We will send you a new one if it is still needed.',

  'event.address_change_deactivated_numbers': 'These numbers cannot be used at the new address and were deactivated: {numbers}',
  'event.flow_endpoint_disabled': 'The endpoint of the flow {flowName} is not asked any more: {because}',
  'event.number_address_pending': 'We are checking whether {number} can be used at the new address.',
  'event.number_released_for_mnp': '{number} is released for porting to another provider until {until}.',
  'event.porting_status_changed': 'The porting of {numbers} has a new status: {status}',
  'event.sim_order_changed': 'Your SIM card order has a new status: {status}',
}

export type TextKey = keyof typeof enUs
