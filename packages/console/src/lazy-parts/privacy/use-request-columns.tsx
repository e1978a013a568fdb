import { Text } from '@mantine/core'
import { useRead, type OutputOf } from '#api/use-service.ts'
import type { Column } from '#parts/list/columns.ts'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { Actor } from '#parts/value/actor.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'
import { useLanguage, useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export type DataExport = OutputOf<'listDataExports'>['items'][number]
export type Erasure = OutputOf<'listErasures'>['items'][number]

/** Name of a subject in lists; undefined if only its id is known. */
export type NameOf = (subject: DataExport['subject']) => string | undefined

const exportTones: Record<DataExport['state'], Tone> = { PENDING: 'quiet', BUILDING: 'busy', READY: 'good', FAILED: 'bad' }
const erasureTones: Record<Erasure['state'], Tone> = {
  SCHEDULED: 'warning',
  RUNNING: 'busy',
  DONE: 'good',
  FAILED: 'bad',
  CANCELLED: 'quiet',
}

export const useSubjectWords = (nameOf: NameOf): ((request: DataExport | Erasure) => string) => {
  const say = useText(text)
  const format = useFormat()
  return ({ subject, reference }) => {
    const { type, id } = subject
    if (type === 'ACCOUNT') return say.types.ACCOUNT
    const name = nameOf(subject) ?? (type === 'NUMBER' && id !== undefined ? format.phone(id) : (id ?? reference).slice(0, 8))
    return `${say.types[type]} ${name}`
  }
}

const useCommonColumns = <Row extends DataExport | Erasure>(nameOf: NameOf): [Column<Row>, Column<Row>[]] => {
  const say = useText(text)
  const wordsOf = useSubjectWords(nameOf)
  return [
    { key: 'subject', header: say.subject, cell: wordsOf, wraps: true },
    [
      {
        key: 'requested',
        header: say.requested,
        value: ({ requestedAt }) => requestedAt,
        cell: ({ requestedAt }) => <Time at={requestedAt} relative />,
      },
      {
        key: 'by',
        header: say.by,
        value: ({ requestedBy }) => requestedBy,
        cell: ({ requestedBy }) => <Actor name={requestedBy} />,
        wideOnly: true,
      },
    ],
  ]
}

export const useExportColumns = (nameOf: NameOf): Column<DataExport>[] => {
  const say = useText(text)
  const format = useFormat()
  const [subject, rest] = useCommonColumns<DataExport>(nameOf)
  return [
    subject,
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.exportStates[state],
      cell: ({ state }) => <StatusBadge tone={exportTones[state]}>{say.exportStates[state]}</StatusBadge>,
    },
    { key: 'size', header: say.size, align: 'right', cell: ({ bytes }) => (bytes === undefined ? '' : format.bytes(bytes)) },
    { key: 'expires', header: say.expires, value: ({ expiresAt }) => expiresAt, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    ...rest,
  ]
}

export const useErasureColumns = (nameOf: NameOf): Column<Erasure>[] => {
  const say = useText(text)
  const [subject, rest] = useCommonColumns<Erasure>(nameOf)
  return [
    subject,
    {
      key: 'state',
      header: say.state,
      value: ({ state }) => say.erasureStates[state],
      cell: ({ state, failure }) => (
        <>
          <StatusBadge tone={erasureTones[state]}>{say.erasureStates[state]}</StatusBadge>
          {failure !== undefined && <Failure code={failure} />}
        </>
      ),
      wraps: true,
    },
    { key: 'due', header: say.due, value: ({ dueAt }) => dueAt, cell: ({ dueAt }) => <Time at={dueAt} /> },
    ...rest,
  ]
}

/** The service's text for the error. */
const Failure = ({ code }: { code: string }) => {
  const { language } = useLanguage()
  const words = useRead('getTranslations', { language: language === 'de' ? 'de_DE' : 'en_US' }).data
  return (
    <Text size="sm" c="dimmed">
      {words?.[`error.${code}`] ?? code}
    </Text>
  )
}
