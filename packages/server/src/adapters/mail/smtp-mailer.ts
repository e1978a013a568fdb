import type { Transporter } from 'nodemailer'
import type { Mail, Mailer } from '#core/kernel/ports/mailer.ts'
import { refuseBadHeaders, refuseBadSender } from './header-rules.ts'

export interface SmtpSettings {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  url: string
  from: string
  /** For connecting, for the greeting and for every silence in between. */
  timeoutMs?: number
}

/** One connection per mail. `close` resolves when the mails under way have been handed over or have failed. */
export function smtpMailer({ url, from, timeoutMs = 15_000 }: SmtpSettings): Mailer & { close(): Promise<void> } {
  if (!/^smtps?:\/\/[^/]/i.test(url)) throw new Error('The mail server must be given as smtp://… or smtps://…')
  refuseBadSender(from)
  let opening: Promise<Transporter> | undefined
  const underWay = new Set<Promise<unknown>>()
  return {
    async send(mail) {
      refuseBadHeaders(mail)
      // As an object the address is taken as it is; a string would be parsed and could name several people.
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

/** With the first mail: most starts send none, and need not read all that it takes. */
const openTransport = async (url: string, timeoutMs: number): Promise<Transporter> => {
  const [{ createTransport }, { default: SmtpTransport }] = await Promise.all([
    import('nodemailer'),
    import('nodemailer/lib/smtp-transport'),
  ])
  // Not createTransport({ url }): that one would obey `?pool=true` in the url and keep connections open.
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

/** What the server answered repeats the recipient or our user name; the codes say enough. */
function withoutAnswer({ message, code, responseCode }: SmtpError): Error {
  const text = responseCode === undefined ? message : `the mail server refused: ${code} ${responseCode}`
  return Object.assign(new Error(text), { code })
}
