import type { Transporter } from 'nodemailer'
import type { Mail, Mailer } from '#core/kernel/ports/outbound.ts'
import { refuseBadHeaders, refuseBadSender } from './header-rules.ts'

interface SmtpSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  url: string
  from: string
  /** Milliseconds for connecting, for the greeting and for every silence in between. */
  timeoutMs?: number
}

/** One connection per mail. `close` resolves when the current mails have been sent or have failed. */
export function smtpMailer({ url, from, timeoutMs = 15_000 }: SmtpSettings): Mailer & { close(): Promise<void> } {
  if (!/^smtps?:\/\/[^/]/i.test(url)) throw new Error('The mail server must be given as smtp://… or smtps://…')
  refuseBadSender(from)
  let opening: Promise<Transporter> | undefined
  const underWay = new Set<Promise<unknown>>()
  return {
    async send(mail) {
      refuseBadHeaders(mail)
      // As an object the address is used unchanged; a string would be parsed and could name several people.
      const to = { name: '', address: mail.to }
      const content = { from, to, subject: mail.subject, text: mail.text, ...attached(mail) }
      const sending = (opening ??= openTransport(url, timeoutMs)).then((transport) => transport.sendMail(content))
      underWay.add(sending)
      try {
        await sending
      } catch (error) {
        throw withoutAnswer(error as SmtpError)
      } finally {
        underWay.delete(sending)
      }
    },
    async close() {
      await Promise.allSettled(underWay)
      ;(await opening)?.close()
    },
  }
}

/** Loaded with the first mail: most starts send none, and need not read the library. */
const openTransport = async (url: string, timeoutMs: number): Promise<Transporter> => {
  const [{ createTransport }, { default: SmtpTransport }] = await Promise.all([
    import('nodemailer'),
    import('nodemailer/lib/smtp-transport'),
  ])
  // Not createTransport({ url }): that would obey `?pool=true` in the url and keep connections open.
  const smtp = new SmtpTransport({
    url,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
  })
  return createTransport(smtp, { disableFileAccess: true, disableUrlAccess: true })
}

const attached = ({ attachment }: Mail) =>
  attachment && { attachments: [{ filename: attachment.name, contentType: attachment.type, content: Buffer.from(attachment.content) }] }

interface SmtpError extends NodeJS.ErrnoException {
  responseCode?: number
}

/** The server's answer repeats the recipient or our user name; the codes are sufficient. */
function withoutAnswer({ message, code, responseCode }: SmtpError): Error {
  const text = responseCode === undefined ? message : `the mail server refused: ${code} ${responseCode}`
  return Object.assign(new Error(text), { code })
}
