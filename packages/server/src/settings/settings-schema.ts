import { resolve } from 'node:path'
import { readBusServers } from '#adapters/bus/bus-servers.ts'
import { readGatewayUrl } from '#adapters/sms/gateway-url.ts'
import { readSmppUrl } from '#adapters/sms/smpp-url.ts'
import { secretAddress, secretWord, setting, standard } from './setting.ts'
import { speechSettings } from './speech-settings.ts'
import { between, matching, onOff, oneOf, optionally, wholeNumber, zeroOr } from './setting-values.ts'
import {
  address,
  addressList,
  apiKey,
  audioTimeout,
  baseUrl,
  bytes,
  egressList,
  filesPlace,
  name,
  networkList,
  turnList,
  optional,
  origins,
  portRange,
  postgresUrl,
  region,
  serverSideEncryption,
  sipDomain,
} from './setting-values.ts'
import { attributes, headerList, ratio, samplers, yesNo } from './otlp-values.ts'

/** All settings. Each has a default that works on a laptop; `docs/settings.md` and `serve --help` are generated from here. */
export const settingsSchema = {
  OFFHOOK_HTTP: setting('127.0.0.1:8080', 'Address of the REST interface and the console. Port 0 picks a free one.', address),
  OFFHOOK_HTTPS: setting(
    '',
    'The same over TLS, for example 0.0.0.0:443, without a proxy in front. Needs OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY; set OFFHOOK_PUBLIC_URL, too.',
    optionally(address),
  ),
  OFFHOOK_SIP: setting('127.0.0.1:5060', 'Address for phones and trunks, over UDP and TCP. Port 0 picks a free one.', address),
  OFFHOOK_SIP_TLS: setting(
    '',
    'Address for phones and trunks over TLS, for example 0.0.0.0:5061. Needs OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY.',
    optionally(address),
  ),
  OFFHOOK_SIP_WS: setting(
    '',
    'Address for phones in browsers (SIP over WebSocket). With OFFHOOK_TLS_CERT it is wss, without ws, which browsers take only from this machine.',
    optionally(address),
  ),
  OFFHOOK_TLS_CERT: setting(
    '',
    'File with the certificate chain (PEM) for HTTPS, SIP and SMPP over TLS, and wss. Read again when it changes.',
    optional,
  ),
  OFFHOOK_TLS_KEY: setting('', 'File with its private key (PEM). Read again when it changes.', optional),
  OFFHOOK_SIP_TRUSTED: setting(
    '',
    'Our own SIP proxies in front of this service: addresses or networks, separated by commas. What they pass on is not limited; sound is expected where they saw a phone.',
    networkList,
  ),
  OFFHOOK_SIP_DOMAIN: setting(
    '',
    'What all phones are told as their SIP server, whichever process they ask: the name of the edge, such as sip.example.org. OFFHOOK_PUBLIC_ADDRESS then is for audio alone. Default: the address of this process.',
    optionally(sipDomain),
  ),
  OFFHOOK_SIP_EDGE: setting(
    '',
    'Our SIP proxies that tell which phone or carrier a request came from (deploy/kamailio): addresses or networks, separated by commas. They are trusted like OFFHOOK_SIP_TRUSTED; their X-Offhook headers are believed, those of nobody else. Through them a carrier is known by what they say, not by their address.',
    networkList,
  ),
  OFFHOOK_SIP_WS_URL: setting(
    '',
    'Where phones in browsers reach SIP over WebSocket, such as wss://sip.example.org/sip. Default: an address of this process.',
    optionally(matching(/^wss?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/, 'an address that begins with ws:// or wss://')),
  ),
  OFFHOOK_SIP_LIMIT_LOOPBACK: setting(
    'off',
    'on: limits against scanners and floods hold for this machine, too. off: not while OFFHOOK_SIP is a loopback address.',
    onOff,
  ),
  OFFHOOK_SIP_DIGEST: setting(
    'MD5',
    'How phones prove their password: MD5, SHA-256, or both. Many phones register only where MD5 stands alone.',
    oneOf('MD5', 'SHA-256', 'both'),
  ),
  OFFHOOK_TRANSFER: setting(
    'bridge',
    'How calls are transferred that a user transfers. bridge: Offhook calls the target. refer: phones of the account that support it are asked to call the target themselves (REFER, Replaces).',
    oneOf('bridge', 'refer'),
  ),
  OFFHOOK_RTP: setting('20000-29999', 'UDP ports for audio; each call leg takes two.', portRange),
  OFFHOOK_RTP_ADDRESS: setting(
    '',
    'Addresses of this machine for audio and faxes, separated by commas, for example a private and a public one: 10.0.0.11,203.0.113.11. Each side of a call uses the one in its own network; otherwise private addresses use a private one, public addresses a public one. Default: the address of OFFHOOK_SIP.',
    addressList,
  ),
  OFFHOOK_RTP_TIMEOUT: setting(
    '60',
    'A call ends when a phone has sent neither audio (RTP) nor reports (RTCP) for this many seconds; half of it when nothing came from the start. Does not apply on hold. 0: never.',
    audioTimeout,
  ),
  OFFHOOK_SHED_LOAD: setting(
    'on',
    'on: while the machine is overloaded, new calls, registrations and text messages get 503 with Retry-After, so that running calls stay undisturbed; emergency calls pass. off: everything is admitted.',
    onOff,
  ),
  OFFHOOK_MEDIA_WORKERS: setting('0', 'Threads that carry audio. 0: one for each processor but the first, at least one.', wholeNumber),
  OFFHOOK_MEDIA_UDP: setting(
    'auto',
    'How audio leaves the machine. auto: by system calls of Linux (koffi) where that loads, else dgram, which carries half as many calls.',
    oneOf('auto', 'dgram'),
  ),
  OFFHOOK_PORTABLE: setting(
    'off',
    'on: use only what npm brings to every system, even where there is more: audio by dgram, documents by pdf.js, no faxes, nothing from /proc. For trying what a Mac gets.',
    onOff,
  ),
  ...speechSettings,
  OFFHOOK_TURN: setting(
    '',
    'TURN servers for phones in browsers whose network lets no UDP through to us, separated by commas: turns:turn.example.org:443?transport=tcp. They must share OFFHOOK_TURN_SECRET with us (coturn: use-auth-secret).',
    turnList,
  ),
  OFFHOOK_TURN_SECRET: secretWord('What logins of OFFHOOK_TURN are made of.', apiKey),
  OFFHOOK_PUSH: setting(
    'on',
    'on: browsers whose users want it are notified of calls while no page of the console is seen, over the services of their makers. off: nothing is sent there.',
    onOff,
  ),
  OFFHOOK_TALK_MINUTES: setting(
    '30',
    'How many minutes a call from the console or the command line may last. 0: as long as any call.',
    wholeNumber,
  ),
  OFFHOOK_CREDIT_WHILE_AWAY: setting(
    '10',
    'How many minutes running calls that cost money go on while PostgreSQL is unavailable, at most 30. The calls of an account get its remaining money, divided by the number of processes. 0: they end when the paid minute is over.',
    between(0, 30),
  ),
  OFFHOOK_DRAIN_SECONDS: setting('600', 'How long calls may go on after SIGTERM, while new ones are refused.', wholeNumber),
  OFFHOOK_DATA: setting('./data', 'Folder for the database, the secret key, mails, recordings and faxes.', (value) => resolve(value)),
  OFFHOOK_FILES: setting(
    'folder',
    'Where recordings, voicemails and faxes are kept. folder: in the data folder. s3://bucket or s3://bucket/prefix: in a store that speaks S3, which all machines of an installation share; they grow in the data folder and are uploaded when they are complete.',
    filesPlace,
  ),
  OFFHOOK_S3_URL: setting('', 'That store, for example https://minio.example:9000. Default: Amazon’s, in OFFHOOK_S3_REGION.', baseUrl),
  OFFHOOK_S3_REGION: setting('us-east-1', 'Region of the bucket.', matching(/^[a-z0-9-]{1,60}$/, 'a region such as eu-central-1')),
  OFFHOOK_S3_KEY: secretWord('Access key id. It needs GetObject, PutObject, DeleteObject and ListBucket.', apiKey),
  OFFHOOK_S3_SECRET: secretWord('Its secret.', apiKey),
  OFFHOOK_S3_STYLE: setting(
    'auto',
    'How the bucket is named in addresses. path: host/bucket. host: bucket.host. auto: host for Amazon, path for all others.',
    oneOf('auto', 'path', 'host'),
  ),
  OFFHOOK_S3_SSE: setting(
    '',
    'Server-side encryption: AES256, or aws:kms: and the key’s id. Default: as the bucket says.',
    serverSideEncryption,
  ),
  OFFHOOK_RECORDINGS_DAYS: setting(
    '90',
    'How many days recordings, voicemails and faxes are kept. 0: until they are erased. Accounts can shorten it.',
    wholeNumber,
  ),
  OFFHOOK_RECORDINGS_WAIT: setting(
    '24',
    'How many hours a recording waits for a part on a machine that is away. Then silence takes its place, until the machine comes back.',
    wholeNumber,
  ),
  OFFHOOK_TIMELINE_DAYS: setting(
    '',
    'How many days the timelines of calls are kept: every step, what was said, and what endpoints were sent and replied. 0: it can only be watched while it happens. Default: as long as recordings. Accounts can shorten it.',
    optionally(wholeNumber),
  ),
  OFFHOOK_RECORDINGS_QUOTA: setting(
    '100000000000',
    'How many bytes of recordings and faxes each account may keep; then it can neither record nor fax more, and its fax lines do not answer.',
    bytes,
  ),
  OFFHOOK_PUBLIC_URL: setting('', 'How clients reach the REST interface, for example behind a proxy. Default: from OFFHOOK_HTTP.', baseUrl),
  OFFHOOK_PUBLIC_ADDRESS: setting(
    '',
    'Host name or address at which phones, trunks and audio reach this machine, for example behind NAT. Default: the host of OFFHOOK_SIP.',
    optional,
  ),
  OFFHOOK_TRUST_PROXY: setting(
    'off',
    'on: take the client address from the last entry of X-Forwarded-For. Only behind one proxy that sets or extends it.',
    onOff,
  ),
  OFFHOOK_DEMO: setting('on', 'on: the first start creates a demo account. off: only the operator.', onOff),
  OFFHOOK_SANDBOX: setting(
    'off',
    'on: this installation is for trying things out, and its operator can put its time forward. A database whose time was put forward stays a sandbox.',
    onOff,
  ),
  OFFHOOK_COUNTRY: setting(
    'DE',
    'Country of new accounts, for reading national phone numbers.',
    matching(/^[A-Z]{2}$/, 'a country code such as DE'),
  ),
  OFFHOOK_CURRENCY: setting('EUR', 'Currency of new accounts.', matching(/^[A-Z]{3}$/, 'a currency code such as EUR')),
  OFFHOOK_CARRIER_CODE: setting(
    'OFFH',
    'Our code towards other carriers when numbers are ported.',
    matching(/^[A-Z0-9]{2,12}$/, '2 to 12 capital letters or digits'),
  ),
  OFFHOOK_SECRET_KEY: secretWord(
    'Base64 of 32 bytes that seal secrets in the database. Default: made once and kept in the data folder.',
    optionally(matching(/^\s*[\w+/-]{43}=?\s*$/, '32 bytes in base64')),
  ),
  OFFHOOK_CORS: setting(
    '*',
    'Sites whose pages may call the interface with a token of theirs: origins such as https://app.example, separated by commas. *: any. off: none.',
    origins,
  ),
  OFFHOOK_PASSWORD_GRANT: setting(
    'on',
    'on: programs may log in with a user’s name and password, at the token endpoint of the identity provider and at POST /v1/authorization/token. off: only people, in the console and on the pages of the identity provider.',
    onOff,
  ),
  OFFHOOK_RATE_LIMIT: setting(
    '100',
    'Requests per second for each token, and for each address without one; bursts of ten times that. All tokens of an account together: four times as many. 0: no limit.',
    wholeNumber,
  ),
  OFFHOOK_HEAP_MB: setting(
    '256',
    'Megabytes of JavaScript objects that the service may keep; its audio threads a quarter of it each. Models, sound and files come on top. An error is logged when four fifths are needed for good. 0: as much as Node thinks fit, which grows with every call for a long time.',
    zeroOr(96, 1_000_000), // it would not start with less
  ),
  OFFHOOK_METRICS_TOKEN: secretWord(
    'With it Prometheus may read the metrics of this process at /metrics, as a bearer token. Default: /metrics is switched off.',
    apiKey,
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    '',
    'Where traces of calls go: a collector that speaks OTLP over HTTP, for example http://127.0.0.1:4318. Default: there are no traces.',
    baseUrl,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: setting('', 'The same with its path, for example http://127.0.0.1:4318/v1/traces.', baseUrl),
  OTEL_EXPORTER_OTLP_HEADERS: secretWord('Headers for it, such as keys: name=value,name=value; values may be percent-encoded.', headerList),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secretWord('The same for traces alone.', headerList),
  OTEL_EXPORTER_OTLP_PROTOCOL: standard(
    'http/json',
    'Only http/json is spoken, which every collector understands. Another value is logged.',
    name,
  ),
  OTEL_EXPORTER_OTLP_TIMEOUT: standard('10000', 'How many milliseconds it may take to answer.', between(100, 600_000)),
  OTEL_EXPORTER_OTLP_COMPRESSION: standard('gzip', 'gzip or none.', oneOf('gzip', 'none')),
  OTEL_SERVICE_NAME: standard('offhook', 'The name of this service in traces.', name),
  OTEL_RESOURCE_ATTRIBUTES: standard('', 'What else all traces say of this process: deployment.environment.name=production,…', attributes),
  OTEL_TRACES_SAMPLER: standard(
    'parentbased_always_on',
    'Which calls are traced. always_on, always_off, traceidratio; parentbased_…: as whoever ordered the call over REST says in traceparent, and that way where nobody does.',
    oneOf(...samplers),
  ),
  OTEL_TRACES_SAMPLER_ARG: standard('1', 'How many calls traceidratio traces: from 0 (none) to 1 (all).', ratio),
  OTEL_TRACES_EXPORTER: standard('otlp', 'otlp, or none: no traces, whatever else is set.', oneOf('otlp', 'none')),
  OTEL_SDK_DISABLED: standard('false', 'true: no traces, whatever else is set.', yesNo),
  OFFHOOK_AGENT: setting(
    'thread',
    'Where assistants that are written here run: thread of the service, process of their own, or off.',
    oneOf('thread', 'process', 'off'),
  ),
  OFFHOOK_EGRESS_ALLOW: setting(
    '',
    'What we may call besides public addresses: name, address or network (10.0.0.0/8), each also with :port, separated by commas. A name is allowed wherever it points. IPv6 with a port: [fd00::/8]:443.',
    egressList,
  ),
  OFFHOOK_SMTP_URL: secretAddress(
    'Mail server, for example smtps://user:password@mail.example. Default: mails become files in the data folder.',
    optionally(matching(/^smtps?:\/\/[^/]/i, 'an address that begins with smtp:// or smtps://')),
  ),
  OFFHOOK_MAIL_FROM: setting(
    'Offhook <offhook@localhost>',
    'Sender of our mails.',
    matching(/^\P{Cc}+@\P{Cc}+$/u, 'a mail address, with or without a name'),
  ),
  OFFHOOK_SMPP_URL: secretAddress(
    'Message centre that carries SMS to other networks, for example smpp://user:password@smsc.example:2775; smpps for TLS. Options: ?window=10 (messages under way at once), rate (messages in a second), ids=same, hex-decimal or decimal-hex (how message ids are written in answers and in receipts), ton=1, npi=1 (kind of the recipient’s number), type (system type).',
    optionally(readSmppUrl),
  ),
  OFFHOOK_SMS_GATEWAY_URL: secretAddress(
    'HTTP gateway that carries SMS (Kannel’s sendsms), for example http://user:password@127.0.0.1:13013/cgi-bin/sendsms. With OFFHOOK_SMPP_URL, too: used while that is not there.',
    optionally(readGatewayUrl),
  ),
  OFFHOOK_SMS_SENDER: setting(
    'Offhook',
    'Who writes when the service itself does, such as codes: a number with its plus, or up to 11 letters and digits.',
    matching(/^(\+[1-9]\d{6,14}|[A-Za-z0-9 ]{1,11})$/, 'a number such as +4930123456 or up to 11 letters and digits'),
  ),
  OFFHOOK_SMPP: setting(
    '',
    'Address where customers’ programs send and receive SMS over SMPP, for example 0.0.0.0:2775. Passwords cross it unprotected: over the internet use OFFHOOK_SMPP_TLS.',
    optionally(address),
  ),
  OFFHOOK_SMPP_TLS: setting(
    '',
    'The same over TLS, for example 0.0.0.0:3550. Needs OFFHOOK_TLS_CERT and OFFHOOK_TLS_KEY.',
    optionally(address),
  ),
  OFFHOOK_PUSH_SIGNATURE_HEADER: setting(
    '',
    'A further header in which call notifications carry the signature of X-Svc-Signature, for receivers that check it under another name, for example X-Provider-Signature.',
    optionally(matching(/^[A-Za-z][A-Za-z0-9-]{0,70}-Signature$/i, 'the name of a header that ends with -Signature')),
  ),
  OFFHOOK_PUSH_KEY: setting(
    '',
    'File with a private RSA key (PEM) that signs call notifications instead of the one that the installation makes, for receivers that know its public half already.',
    optional,
  ),
  OFFHOOK_LOG: setting('info', 'How much is logged: fatal, error, warn, info or debug.', oneOf('fatal', 'error', 'warn', 'info', 'debug')),
  OFFHOOK_LOG_NUMBERS: setting(
    'off',
    'on: the log says who called whom, and why a message route refused a message. off: no phone number stands in it, wherever it came from; calls are found by their callId.',
    onOff,
  ),
  OFFHOOK_BUS: secretAddress(
    'NATS servers over which several processes on one PostgreSQL talk to each other, for example tls://user:password@nats1.example:4222,tls://nats2.example:4222. A token stands in the place of the user. nats://, without TLS, only on this machine. Default: none, for one process.',
    optionally(readBusServers),
  ),
  OFFHOOK_BUS_CERT: setting('', 'File with the certificate (PEM) that this process shows to those servers.', optional),
  OFFHOOK_BUS_KEY: setting('', 'File with its private key (PEM).', optional),
  OFFHOOK_BUS_CA: setting(
    '',
    'File with the authority (PEM) that signed the certificates of those servers. Default: the usual ones.',
    optional,
  ),
  OFFHOOK_NODE_NAME: setting('', 'What operators call this process. Default: the name of the machine.', optionally(name)),
  OFFHOOK_REGION: setting(
    '',
    'Region of this process, for example fra1: lower-case letters, digits and hyphens. Processes of its region take its calls over if one is left. Default: none.',
    optionally(region),
  ),
  DATABASE_URL: secretAddress('PostgreSQL, for example postgres://user@host/offhook. Default: SQLite in the data folder.', postgresUrl),
  OFFHOOK_DB_POOL: setting(
    '6',
    'How many connections to PostgreSQL this process opens at most. All processes together must stay below its max_connections; a pooler in transaction mode (PgBouncer) may be in between.',
    between(2, 100),
  ),
}
