import { Anchor, Code, Stack, Text, Title } from '@mantine/core'
import { Dialog } from '#parts/modal/dialog.tsx'
import { Link } from 'wouter'
import { Facts } from '#parts/value/facts.tsx'
import { Time } from '#parts/value/values.tsx'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

export interface ExchangeDetailsProps {
  title: string
  created: string
  url: string
  request: string
  response?: string
  xmlError?: string
  error?: string
  onClose: () => void
}

/** One request with every field on a line of its own. */
export const ExchangeDetails = ({ title, created, url, request, response, xmlError, error, onClose }: ExchangeDetailsProps) => {
  const say = useText(text)
  const fields = new URLSearchParams(request)
  const callId = fields.get('callId')
  return (
    <Dialog onClose={onClose} title={title} size="lg">
      <Stack>
        <Facts
          facts={[
            [say.created, <Time key="created" at={created} />],
            [say.url, url],
            [say.callId, callId !== null && <CallLink key="call" callId={callId} />],
            [say.error, error && <InEnglish key="error">{error}</InEnglish>],
            [say.xmlError, xmlError && <InEnglish key="xmlError">{xmlError}</InEnglish>],
          ]}
        />
        <div>
          <Title order={3} mb={4}>
            {say.request}
          </Title>
          <Code block tabIndex={0} aria-label={say.request}>
            {[...fields].map(([name, value]) => `${name} = ${value}`).join('\n')}
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
    </Dialog>
  )
}

const CallLink = ({ callId }: { callId: string }) => (
  <Anchor component={Link} href={`/calls/${callId}`} size="sm">
    {callId}
  </Anchor>
)

/** The service explains what software did wrong in English only. */
const InEnglish = ({ children }: { children: string }) => (
  <Text span inherit lang="en">
    {children}
  </Text>
)
