import { NativeSelect, Stack, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { useRead, type OutputOf } from '#api/use-service.ts'
import { Loaded } from '#parts/page/loaded.tsx'
import { Section } from '#parts/page/section.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { useText } from '#words/use-text.tsx'
import { changesBetween, type Change } from '../assistant/changes.ts'
import type { Shown } from '../assistant/draft.ts'
import { Fields } from '../settings/fields.tsx'
import classes from './comparison.module.css'
import { text } from './text.ts'
import { lineDiff } from './line-diff.ts'

export type Version = OutputOf<'listAssistantVersions'>['items'][number]
export type Rollout = OutputOf<'getRollout'>

/** Versions by number, or the draft. */
export type Pair = { from: number | 'draft'; to: number | 'draft' }

type ComparisonProps = { flowId: string; versions: readonly Version[]; pair: Pair; onPair: (pair: Pair) => void }

/** Compares two versions: the prompt line by line, everything else field by field. */
export const Comparison = ({ flowId, versions, pair, onPair }: ComparisonProps) => {
  const say = useText(text)
  const [from, to] = [useSettings(flowId, pair.from), useSettings(flowId, pair.to)]
  const data = [
    { value: 'draft', label: say.draft },
    ...versions.map(({ version }) => ({ value: `${version}`, label: say.number(version) })),
  ]
  const read = (value: string): Pair['from'] => (value === 'draft' ? 'draft' : Number(value))
  return (
    <Section title={say.comparison}>
      <Stack>
        <Fields>
          <NativeSelect
            label={say.from}
            data={data}
            value={`${pair.from}`}
            onChange={(event) => onPair({ ...pair, from: read(event.currentTarget.value) })}
          />
          <NativeSelect
            label={say.to}
            data={data}
            value={`${pair.to}`}
            onChange={(event) => onPair({ ...pair, to: read(event.currentTarget.value) })}
          />
        </Fields>
        <Loaded query={from}>
          {(before) => <Loaded query={to}>{(after) => <Differences before={before.settings} after={after.settings} />}</Loaded>}
        </Loaded>
      </Stack>
    </Section>
  )
}

const useSettings = (flowId: string, which: Pair['from']): UseQueryResult<{ settings: Shown }> => {
  const draft = useRead('getAssistant', { aiFlowId: flowId }, { when: which === 'draft' })
  const version = useRead('getAssistantVersion', { aiFlowId: flowId, version: `${which}` }, { when: which !== 'draft' })
  return which === 'draft' ? draft : version
}

const Differences = ({ before, after }: { before: Shown; after: Shown }) => {
  const say = useText(text)
  const { prompt: oldPrompt, ...old } = before
  const { prompt: newPrompt, ...fresh } = after
  const changes = changesBetween(old, fresh)
  if (oldPrompt === newPrompt && changes.length === 0) return <Text size="sm">{say.equal}</Text>
  const columns: Column<Change>[] = [
    { key: 'field', header: say.field, cell: ({ path }) => <span lang="en">{path.replaceAll('/', ' › ')}</span> },
    { key: 'before', header: say.before, cell: (change) => shown(change.before), breaks: true },
    { key: 'after', header: say.after, cell: (change) => shown(change.after), breaks: true },
  ]
  return (
    <>
      {oldPrompt !== newPrompt && <PromptDiff before={oldPrompt} after={newPrompt} />}
      {changes.length > 0 && (
        <List name="comparison" label={say.fields} rows={changes} columns={columns} rowKey={({ path }) => path} empty={null} />
      )}
    </>
  )
}

const shown = (value: unknown): string => (value === undefined ? '–' : typeof value === 'string' ? value : JSON.stringify(value))

const signs = { same: ' ', gone: '−', new: '+' } as const

const PromptDiff = ({ before, after }: { before: string; after: string }) => {
  const say = useText(text)
  return (
    <div>
      <Title order={3} mb="xs">
        {say.prompt}
      </Title>
      <div className={classes.diff} role="list" aria-label={say.prompt}>
        {lineDiff(before, after).map(({ kind, text: line }, index) => (
          <div key={index} role="listitem" className={classes.line} data-kind={kind}>
            <span aria-hidden className={classes.sign}>
              {signs[kind]}
            </span>
            {kind !== 'same' && <span className="visually-hidden">{`${say.lines[kind]}: `}</span>}
            <span>{line}</span>
          </div>
        ))}
      </div>
    </div>
  )
}
