import { Code, Modal, Stack, Title } from '@mantine/core'
import { Facts } from '../../parts/facts.tsx'
import { text as partText } from '../../parts/text.ts'
import { Time } from '../../parts/values.tsx'
import { useText } from '../../words/use-text.tsx'
import { text } from './text.ts'

export interface ExchangeDetailsProps {
  title: string
  created: string
  url: string
  request: string
  response?: string
  xmlError?: string
  error?: string
  callId?: string
  onClose: () => void
}

/** One request with every field on a line of its own. */
export const ExchangeDetails = ({ title, created, url, request, response, xmlError, error, callId, onClose }: ExchangeDetailsProps) => {
  const say = useText(text)
  const { close } = useText(partText)
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeButtonProps={{ 'aria-label': close }}>
      <Stack>
        <Facts
          facts={[
            [say.created, <Time key="created" at={created} />],
            [say.url, url],
            [say.callId, callId],
            [say.error, error],
            [say.xmlError, xmlError],
          ]}
        />
        <div>
          <Title order={3} mb={4}>
            {say.request}
          </Title>
          <Code block tabIndex={0} aria-label={say.request}>
            {[...new URLSearchParams(request)].map(([name, value]) => `${name} = ${value}`).join('\n')}
          </Code>
        </div>
        {response !== undefined && (
          <div>
            <Title order={3} mb={4}>
              {say.response}
            </Title>
            <Code block tabIndex={0} aria-label={say.response}>
              {response === '' ? `(${say.empty})` : response}
            </Code>
          </div>
        )}
      </Stack>
    </Modal>
  )
}
