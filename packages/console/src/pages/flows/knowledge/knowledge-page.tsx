import { useMay } from '#api/use-may.ts'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { FlowFrame } from '../parts/flow-frame.tsx'
import { text } from './text.ts'
import { Button, Group, Stack, Text, TextInput, Anchor } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useWrite, type OutputOf, useRead } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import classes from './questions.module.css'
import { useToast } from '#parts/dialog/toast.tsx'
import { fieldProblem } from '#parts/form/use-form.ts'
import { FileDrop } from '#lazy-parts/file-drop.tsx'
import { useConfirm } from '#parts/dialog/confirm.tsx'
import { EmptyState } from '#parts/page/empty-state.tsx'
import { Loaded } from '#parts/page/loaded.tsx'
import type { Column } from '#parts/list/columns.ts'
import { List } from '#parts/list/list.tsx'
import { RowMenu } from '#parts/table/row-menu.tsx'
import { StatusBadge, type Tone } from '#parts/value/status-badge.tsx'
import { useFormat } from '#parts/value/use-format.ts'
import { Time } from '#parts/value/values.tsx'

/** Knowledge of a flow's assistant, and a test search. */
export const KnowledgePage = () => <FlowFrame tab="knowledge">{({ id }) => <Knowledge key={id} flowId={id} />}</FlowFrame>

const Knowledge = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const may = useMay()('CAN_CHANGE_FLOWS')
  return (
    <>
      {may && <AddDocuments flowId={flowId} />}
      <Section title={say.documents} description={say.about} flush>
        <DocumentTable flowId={flowId} />
      </Section>
      <Questions flowId={flowId} />
    </>
  )
}

/** A question, and the passages that the assistant would find. */
export const Questions = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const [query, setQuery] = useState('')
  const search = useWrite('searchKnowledge')
  const ask = (event: FormEvent): void => {
    event.preventDefault()
    if (query.trim() !== '') search.mutate([{ aiFlowId: flowId }, { query: query.trim() }])
  }
  return (
    <Section title={say.ask} description={say.askHint}>
      <Stack>
        <form onSubmit={ask}>
          <Group align="flex-end" gap="xs">
            <TextInput
              label={say.question}
              maxLength={1000}
              style={{ flex: '1 1 18rem' }}
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
            />
            <Button type="submit" loading={search.isPending} disabled={query.trim() === ''}>
              {say.search}
            </Button>
          </Group>
        </form>
        <ErrorNotice error={search.error} />
        <div aria-live="polite">{search.data && <Passages passages={search.data.items} />}</div>
      </Stack>
    </Section>
  )
}

const Passages = ({ passages }: { passages: OutputOf<'searchKnowledge'>['items'] }) => {
  const say = useText(text)
  if (passages.length === 0) return <Text size="sm">{say.nothing}</Text>
  return (
    <ol className={classes.passages}>
      {passages.map(({ documentId, document, heading, page, text: words }, index) => (
        <li key={`${documentId} ${index}`}>
          <Text size="xs" c="dimmed">
            {[document, heading, page !== undefined && say.page(page)].filter(Boolean).join(' · ')}
          </Text>
          <Text size="sm" className={classes.words}>
            {words}
          </Text>
        </li>
      ))}
    </ol>
  )
}

/** Dropped or chosen files, one after the other, and pages by their address. */
export const AddDocuments = ({ flowId }: { flowId: string }) => {
  const say = useText(text)
  const toast = useToast()
  const [sending, setSending] = useState<string>()
  const [url, setUrl] = useState('')
  const target = { aiFlowId: flowId }
  const addFile = useWrite('addKnowledge', { refreshes: ['listKnowledge'] })
  const addPage = useWrite('addKnowledge', { refreshes: ['listKnowledge'] })
  const sendFiles = async (files: readonly File[]): Promise<void> => {
    try {
      for (const file of files) {
        setSending(file.name)
        await addFile.mutateAsync([target, { name: file.name, base64: base64Of(new Uint8Array(await file.arrayBuffer())) }])
      }
      toast.done(say.adding)
    } catch {
      // The error is shown below the files.
    } finally {
      setSending(undefined)
    }
  }
  const sendPage = (event: FormEvent): void => {
    event.preventDefault()
    addPage.mutate([target, { url: url.trim() }], {
      onSuccess: () => {
        setUrl('')
        toast.done(say.adding)
      },
    })
  }
  return (
    <Section title={say.add} description={say.addHint}>
      <Stack>
        <DocumentDrop onFiles={(files) => void sendFiles(files)} />
        <div role="status">{sending !== undefined && <Text size="sm">{say.sending(sending)}</Text>}</div>
        <ErrorNotice error={addFile.error} />
        <form onSubmit={sendPage} noValidate>
          <Group align="flex-end" gap="xs">
            <TextInput
              label={say.url}
              description={say.urlHint}
              placeholder="https://example.com/prices"
              maxLength={2000}
              style={{ flex: '1 1 18rem' }}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              error={fieldProblem(addPage.error, 'url')}
            />
            <Button type="submit" variant="default" loading={addPage.isPending} disabled={url.trim() === ''}>
              {say.addUrl}
            </Button>
          </Group>
        </form>
        <ErrorNotice error={addPage.error} />
      </Stack>
    </Section>
  )
}

/** Characters per call: browsers reject more arguments. */
const piece = 32_768

export const base64Of = (bytes: Uint8Array): string => {
  let text = ''
  for (let at = 0; at < bytes.length; at += piece) text += String.fromCharCode(...bytes.subarray(at, at + piece))
  return btoa(text)
}

const maxBytes = 20_000_000
const known = /\.(?:txt|text|md|markdown|pdf|html?)$/i

/** Accepts documents; immediately rejects unsupported ones. */
export const DocumentDrop = ({ onFiles }: { onFiles: (files: File[]) => void }) => {
  const say = useText(text)
  const [problem, setProblem] = useState<string>()
  const take = (files: File[]): void => {
    const strange = files.find(({ name }) => !known.test(name))
    const large = files.find(({ size }) => size > maxBytes)
    setProblem(strange ? say.notKnown(strange.name) : large && say.tooLarge(large.name))
    const good = files.filter(({ name, size }) => known.test(name) && size <= maxBytes)
    if (good.length > 0) onFiles(good)
  }
  const accept = '.txt,.text,.md,.markdown,.pdf,.html,.htm'
  return <FileDrop multiple accept={accept} icon="upload" words={say.drop} hint={say.dropHint} problem={problem} onFiles={take} />
}

type Document = OutputOf<'listKnowledge'>['items'][number]

const tones: Readonly<Record<Document['state'], Tone>> = { PENDING: 'busy', READY: 'good', FAILED: 'bad' }

/** Milliseconds between polls of a document being processed. */
const pollIntervalMs = 2_000

export const DocumentTable = ({ flowId }: { flowId: string }) => {
  const documents = useRead('listKnowledge', { aiFlowId: flowId }, { every: pollIntervalMs })
  return <Loaded query={documents}>{({ items }) => <Table flowId={flowId} documents={items} />}</Loaded>
}

const Table = ({ flowId, documents }: { flowId: string; documents: readonly Document[] }) => {
  const say = useText(text)
  const { number, bytes } = useFormat()
  const remove = useRemove(flowId)
  const columns: Column<Document>[] = [
    {
      key: 'name',
      header: say.name,
      value: ({ name }) => name,
      cell: ({ name, url }) => (url === undefined ? name : <Page name={name} url={url} />),
      breaks: true,
    },
    { key: 'state', header: say.state, cell: (document) => <State document={document} /> },
    { key: 'kind', header: say.kind, cell: ({ kind }) => say.kinds[kind] },
    { key: 'passages', header: say.passages, cell: ({ passages }) => number(passages), align: 'right' },
    { key: 'size', header: say.size, cell: (document) => bytes(document.bytes), align: 'right' },
    { key: 'added', header: say.added, value: ({ addedAt }) => addedAt, cell: ({ addedAt }) => <Time at={addedAt} relative /> },
  ]
  return (
    <List
      label={say.documents}
      rows={documents}
      columns={columns}
      rowKey={({ id }) => id}
      {...(remove && {
        rowActions: (document: Document) => (
          <RowMenu
            label={say.actionsFor(document.name)}
            actions={[{ label: say.remove, icon: 'trash', onClick: () => void remove(document), danger: true }]}
          />
        ),
      })}
      empty={
        <EmptyState icon="book" title={say.emptyTitle}>
          {say.empty}
        </EmptyState>
      }
    />
  )
}

const Page = ({ name, url }: { name: string; url: string }) => (
  <Anchor href={url} target="_blank" rel="noreferrer">
    {name}
  </Anchor>
)

const State = ({ document: { state, problem } }: { document: Document }) => {
  const say = useText(text)
  return (
    <>
      <StatusBadge tone={tones[state]} pulse={state === 'PENDING'}>
        {say.states[state]}
      </StatusBadge>
      {problem !== undefined && (
        <Text size="xs" lang="en" mt={4}>
          {problem}
        </Text>
      )}
    </>
  )
}

/** Undefined without the permission. */
const useRemove = (flowId: string): ((document: Document) => Promise<void>) | undefined => {
  const say = useText(text)
  const confirm = useConfirm()
  const toast = useToast()
  const may = useMay()
  const remove = useWrite('deleteKnowledge', { refreshes: ['listKnowledge'], onDone: () => toast.done(say.removed) })
  if (!may('CAN_CHANGE_FLOWS')) return undefined
  return async ({ id, name }) => {
    if (!(await confirm({ title: say.removeTitle(name), body: say.removeBody, confirm: say.remove }))) return
    remove.mutate([{ aiFlowId: flowId, documentId: id }], { onError: (error) => toast.failed(error) })
  }
}
