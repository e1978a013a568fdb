import { Alert, List, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { OutputOf } from '#api/use-service.ts'
import { BytesView, Pre } from '#lazy-parts/bytes-view.tsx'
import { Icon } from '#parts/icon/icon.tsx'
import { Section } from '#parts/page/section.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

type Trial = OutputOf<'testFlow'>

/** Whether the answer would work in a call, its problems, the parsed actions, and the raw bytes. */
export const TrialResult = ({ trial }: { trial: Trial }) => {
  const say = useText(text)
  const { request, response, url, channel } = trial
  return (
    <Section title={say.result} description={`${say.channels[channel]}${url === undefined ? '' : ` · ${url}`}`}>
      <Stack>
        <Verdict trial={trial} />
        {trial.hints.map((hint) => (
          <Alert key={hint} color="yellow" icon={<Icon name="info" />}>
            {say.hints[hint]}
          </Alert>
        ))}
        <Understood actions={trial.actions} />
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <BytesView order={3} title={say.request} bytes={request} />
          {response && (
            <BytesView
              order={3}
              title={`${say.response}${response.status === undefined ? '' : ` · ${response.status}`}`}
              bytes={response}
            />
          )}
        </SimpleGrid>
      </Stack>
    </Section>
  )
}

const Verdict = ({ trial: { error, problems, durationMs } }: { trial: Trial }) => {
  const say = useText(text)
  if (error !== undefined)
    return (
      <Alert color="red" icon={<Icon name="alert" />} title={say.bad}>
        {error} ({say.took(durationMs)})
      </Alert>
    )
  if (problems.length === 0)
    return (
      <Alert color="green" icon={<Icon name="check" />} title={say.good}>
        {say.took(durationMs)}
      </Alert>
    )
  return (
    <Alert color="yellow" icon={<Icon name="alert" />} title={say.goodBut(problems.length)}>
      <Text size="sm">{say.took(durationMs)}</Text>
      <List size="sm" mt={4}>
        {problems.map(({ index, type, message }) => (
          <List.Item key={`${index} ${message}`}>
            {index < 0 ? say.answerItself : say.action(index, type)}: {message}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}

const Understood = ({ actions }: Pick<Trial, 'actions'>) => {
  const say = useText(text)
  return (
    <div>
      <Title order={3} size="sm" mb={4}>
        {say.understood}
      </Title>
      {actions.length === 0 ? (
        <Text size="sm" c="dimmed">
          {say.nothingUnderstood}
        </Text>
      ) : (
        <Pre label={say.understood}>{JSON.stringify(actions, undefined, 2)}</Pre>
      )}
    </div>
  )
}
