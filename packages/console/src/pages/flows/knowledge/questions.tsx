import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState, type FormEvent } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import classes from './questions.module.css'
import { text } from './text.ts'

/** A question, and the passages that the assistant would find for it. */
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
