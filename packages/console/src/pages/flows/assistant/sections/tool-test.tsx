import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useWrite, type OutputOf } from '#api/use-service.ts'
import { Pre } from '#lazy-parts/bytes-view.tsx'
import { ErrorNotice } from '#parts/form/error-notice.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './tools-text.ts'

type ToolTestProps = { flowId: string; tool: string; saveFirst: () => Promise<boolean> }

/** Calls the tool as in a call, with arguments that are typed here, and shows what went to and fro. */
export const ToolTest = ({ flowId, tool, saveFirst }: ToolTestProps) => {
  const say = useText(text)
  const [words, setWords] = useState('{}')
  const [isJson, setJson] = useState(true)
  const test = useWrite('testTool')
  const run = async (): Promise<void> => {
    const given = argumentsOf(words)
    setJson(given !== undefined)
    if (given !== undefined && (await saveFirst())) test.mutate([{ aiFlowId: flowId, tool }, { arguments: given }])
  }
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <Textarea
          label={say.arguments}
          autosize
          minRows={1}
          spellCheck={false}
          style={{ flex: '1 1 14rem' }}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
          error={isJson ? undefined : say.noJson}
        />
        <Button variant="default" leftSection={<Icon name="bolt" size={16} />} loading={test.isPending} onClick={() => void run()}>
          {say.test}
        </Button>
      </Group>
      <ErrorNotice error={test.error} />
      {test.data && <Outcome outcome={test.data} />}
    </Stack>
  )
}

const Outcome = ({ outcome: { ok, ms, request, response, problem } }: { outcome: OutputOf<'testTool'> }) => {
  const say = useText(text)
  return (
    <Alert
      color={ok ? 'pine' : 'red'}
      role="alert"
      icon={<Icon name={ok ? 'check' : 'alert'} />}
      title={ok ? say.toolWorks(ms) : say.toolFails(ms)}
    >
      <Stack gap="xs">
        {problem !== undefined && (
          <Text size="sm" lang="en">
            {problem}
          </Text>
        )}
        {request && <Pre>{`${request.url}\n${headerLines(request.headers)}\n\n${request.body}`}</Pre>}
        {response && <Pre>{`${response.status}\n\n${response.body}`}</Pre>}
      </Stack>
    </Alert>
  )
}

const headerLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

const argumentsOf = (words: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(words)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
