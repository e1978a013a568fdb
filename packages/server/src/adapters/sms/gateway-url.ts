import { isEscaped } from './smpp-url.ts'

/** A gateway that accepts messages like Kannel's sendsms. */
export interface SmsGateway {
  /** With its own query options, without login. */
  url: string
  username: string
  password: string
}

/** `http://user:password@host:13013/cgi-bin/sendsms`; the query is sent along with every message. */
export const readGatewayUrl = (text: string): SmsGateway => {
  const url = URL.canParse(text) && isEscaped(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username === '' || url.hash !== '')
    throw new Error(
      'must be an address such as http://user:password@host:13013/cgi-bin/sendsms (in a password: %23 for #, %40 for @, %25 for %)',
    )
  const [username, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  url.username = ''
  url.password = ''
  return { url: url.href, username, password }
}
