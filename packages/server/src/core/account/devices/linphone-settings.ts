interface SipLogin {
  /** Display name of the phone. */
  alias: string
  username: string
  password: string
  host: string
  port: number
}

type Section = readonly [name: string, entries: Readonly<Record<string, string>>]

/**
 * A SIP account in the format that Linphone fetches from the address in a QR code: its settings file as XML. It becomes the first
 * account of the app; `transient_provisioning` makes the app fetch it only once.
 */
export const linphoneSettings = ({ alias, username, password, host, port }: SipLogin): string => {
  const server = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const name = alias.replaceAll(/["\\]/g, '')
  return document([
    ['misc', { transient_provisioning: '1' }],
    ['sip', { default_proxy: '0' }],
    [
      'proxy_0',
      {
        reg_proxy: `<sip:${server};transport=udp>`,
        reg_identity: `"${name}" <sip:${username}@${server}>`,
        reg_sendregister: '1',
        reg_expires: '600',
        publish: '0',
      },
    ],
    ['auth_info_0', { username, passwd: password, domain: host }],
  ])
}

const document = (sections: readonly Section[]): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<config xmlns="http://www.linphone.org/xsds/lpconfig.xsd">',
    ...sections.flatMap(([name, entries]) => [`  <section name="${name}">`, ...Object.entries(entries).map(entry), '  </section>']),
    '</config>',
    '',
  ].join('\n')

const entry = ([name, value]: [string, string]): string => `    <entry name="${name}" overwrite="true">${escaped(value)}</entry>`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
