import { Alert, Code, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { OutputOf } from '../../../api/use-service.ts'
import { Icon } from '../../../parts/icon.tsx'
import { Section } from '../../../parts/section.tsx'
import { useFormat } from '../../../parts/use-format.ts'
import { useText } from '../../../words/use-text.tsx'
import { Bytes } from './bytes.tsx'
import { text } from './text.ts'

type Trial = OutputOf<'testFlow'>

export const TrialResult = ({ trial }: { trial: Trial }) => {
  const say = useText(text)
  const format = useFormat()
  const { request, response, url, channel } = trial
  const cut = response?.cut && say.cut(format.bytes(response.bodyBytes))
  return (
    <Section title={say.result} description={`${say.channels[channel]}${url === undefined ? '' : ` · ${url}`}`}>
      <Stack>
        <Verdict trial={trial} />
        {trial.hints.map((hint) => (
          <Alert key={hint} color="yellow" icon={<Icon name="info" />}>
            {say.hints[hint]}
          </Alert>
        ))}
        <Understood trial={trial} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Bytes title={say.request} headers={request.headers} body={request.body} />
          {response && (
            <Bytes title={`${say.response}${response.status === undefined ? '' : ` · ${response.status}`}`} {...response} note={cut} />
          )}
        </SimpleGrid>
      </Stack>
    </Section>
  )
}

const Verdict = ({ trial: { error, durationMs } }: { trial: Trial }) => {
  const say = useText(text)
  const good = error === undefined
  return (
    <Alert color={good ? 'green' : 'red'} icon={<Icon name={good ? 'check' : 'alert'} />} title={good ? say.good : say.bad}>
      {good ? say.took(durationMs) : `${error} (${say.took(durationMs)})`}
    </Alert>
  )
}

const Understood = ({ trial: { actions, problems } }: { trial: Trial }) => {
  const say = useText(text)
  return (
    <>
      <div>
        <Title order={3} mb={4}>
          {say.understood}
        </Title>
        {actions.length === 0 ? (
          <Text c="dimmed">{say.nothingUnderstood}</Text>
        ) : (
          <Code block tabIndex={0} aria-label={say.understood}>
            {JSON.stringify(actions, undefined, 2)}
          </Code>
        )}
      </div>
      {problems.length > 0 && (
        <div>
          <Title order={3} mb={4}>
            {say.problems}
          </Title>
          <List>
            {problems.map(({ index, type, message }) => (
              <List.Item key={`${index} ${message}`}>
                {index < 0 ? say.answerItself : say.action(index, type)}: {message}
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </>
  )
}
