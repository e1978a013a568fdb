import { catalogue, chapters, kinds, type Kind, type Table } from '#adapters/store/personal-data/catalogue/index.ts'

const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`

/** Stored personal data by table, from the catalogue that erasure and export use. */
export const personalDataPage = (): string =>
  [
    '# Personal data',
    '',
    'Every table of the database: personal columns, whose they are, how long they are kept, who sees them, and what an erasure does. The service erases and',
    'exports by the same list, and a test fails when a table or a text column is missing here.',
    '',
    'Kinds of columns:',
    '',
    row('kind', 'meaning'),
    row('---', '---'),
    ...Object.entries(kinds).map(([kind, meaning]) => row(`\`${kind}\``, meaning)),
    '',
    'Columns of the kinds `no` and `id` are not listed. An erasure of a user, a contact or a number treats rows in one of these ways:',
    '',
    '- *deletes* the row when it belongs to the person: by a column, or because it is about a call, message or fax of the person;',
    '- *replaces* a number, name or e-mail address of the person that a text of somebody else mentions by `erased`;',
    '- *removes* a list element that is made for the person, such as a transfer target or an allowed number;',
    '- *pseudonymises* what law keeps.',
    '',
    ...Object.entries(chapters).flatMap(([title, entries]) => [
      `## ${title}`,
      '',
      row('table', 'holds', 'personal columns', 'whose', 'kept', 'seen by', 'erasing the account', 'erasing a person'),
      row('---', '---', '---', '---', '---', '---', '---', '---'),
      ...(Object.keys(entries) as Table[]).map(tableRow),
      '',
    ]),
    ...outsideOfTables,
  ].join('\n')

const outsideOfTables = [
  '## Outside of the tables',
  '',
  row('place', 'holds', 'kept', 'an erasure'),
  row('---', '---', '---', '---'),
  row(
    '`recordings/<account>/`, `faxes/<account>/` of the data folder, or on S3',
    'sound and pages',
    '`OFFHOOK_RECORDINGS_DAYS`',
    'deletes',
  ),
  row(
    '`speech-cache` of the data folder, and the memory of each process',
    'synthesised speech',
    '30 days unused',
    'empties, on all machines',
  ),
  row(
    '`mail` of the data folder, without `OFFHOOK_SMTP_URL`',
    'sent mails',
    'until somebody removes them',
    'deletes mails that mention the person',
  ),
  row('`first-run.json` of the data folder', 'logins of the demo account', 'until somebody removes it', 'removes the logins'),
  row(
    '`waiting-….journal` of the data folder',
    'ends of calls that wait for PostgreSQL, sealed',
    'minutes',
    'written to the database first',
  ),
  row(
    '`erasures.journal` of the data folder, `erasures/` on S3',
    'who was erased, sealed with the secret key',
    'three years',
    'adds an entry',
  ),
  row('standard output', 'log lines; numbers only with `OFFHOOK_LOG_NUMBERS=on`', 'up to the operator', 'none'),
  '',
  '## What remains in the files of a database',
  '',
  '- SQLite overwrites deleted rows with zeros. After an erasure the file is rewritten (`VACUUM`) and its log emptied, up to 256 MB; writers wait for it a second or two. A larger file is',
  '  not rewritten beside calls: the service logs `erasure_not_rewritten`. Rewrite it in a quiet hour.',
  '- PostgreSQL: tables up to 64 MB are rewritten (`VACUUM FULL`, which waits for nobody), larger ones get `VACUUM` alone, and their free space keeps old bytes until new rows come. The write-ahead',
  '  log, its archive and replicas keep what was written until PostgreSQL recycles them; set `wal_keep_size` and the age of your archive accordingly.',
  '- S3: with versioning the store keeps deleted objects. Set a rule that expires old versions.',
  '- Disks and snapshots keep blocks that files no longer use. Encrypt the disk.',
  '',
]

const tableRow = (table: Table): string => {
  const { about, kept, seenBy } = catalogue[table]
  return row(`\`${table}\``, about, personalColumns(table), whose(table), kept, seenBy, ofAccount(table), ofPerson(table))
}

const personalColumns = (table: Table): string => {
  const personal = Object.entries<Kind>(catalogue[table].columns).filter(([, kind]) => kind !== 'no' && kind !== 'id')
  return personal.length === 0 ? 'none' : personal.map(([column, kind]) => `\`${column}\` (${kind})`).join(', ')
}

const whose = (table: Table): string => {
  const { account, user, number, event } = catalogue[table]
  const owners = [
    ...(account.where === '1 = 0' ? [] : ['account']),
    ...(user ? ['user'] : []),
    ...(number ? [`number (${number.columns.map((column) => `\`${column}\``).join(', ')})`] : []),
    ...(event === undefined ? [] : [`everybody in the call, message or fax (\`${event}\`)`]),
  ]
  return owners.length === 0 ? 'the installation' : owners.join('; ')
}

const ofAccount = (table: Table): string => {
  const { where, erase } = catalogue[table].account
  if (where === '1 = 0') return 'stays'
  if (erase === 'keep') return table === 'audit' || table === 'statement' ? 'pseudonymises' : 'stays'
  return erase ? `clears ${columnsOf(erase)}` : 'deletes'
}

const ofPerson = (table: Table): string => {
  const { user, number, event, mention: noteInHistory } = catalogue[table]
  const deletes = (user && !user.erase) || (number && !number.erase) || event !== undefined
  const clears = [user?.erase, number?.erase].filter((erase) => typeof erase === 'object')
  const mentions = {
    redact: 'replaces mentions',
    prune: 'removes list elements, replaces mentions',
    delete: 'deletes rows with mentions',
    leave: '',
  }
  const ways = [deletes ? 'deletes' : '', ...clears.map((change) => `clears ${columnsOf(change)}`), mentions[noteInHistory]].filter(Boolean)
  return ways.length === 0 ? 'stays' : ways.join('; ')
}

const columnsOf = (change: object): string =>
  Object.keys(change)
    .map((column) => `\`${column}\``)
    .join(', ')
