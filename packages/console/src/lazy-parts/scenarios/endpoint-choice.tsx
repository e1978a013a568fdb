import { NativeSelect } from '@mantine/core'
import { useRead, type InputOf } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** '': the endpoint that answers calls now; 'draft'; or a version number. */
type EndpointChoiceValue = string

/** The choice as request fields. */
export const inputOf = (choice: EndpointChoiceValue): Pick<InputOf<'startTestRun'>[1], 'draft' | 'version'> =>
  choice === '' ? {} : choice === 'draft' ? { draft: true } : { version: Number(choice) }

interface EndpointChoiceProps {
  flowId: string
  value: EndpointChoiceValue
  onChange: (choice: EndpointChoiceValue) => void
}

/** Choice of the endpoint. Empty without a choice: a customer's endpoint has no versions. */
export const EndpointChoice = ({ flowId, value, onChange }: EndpointChoiceProps) => {
  const say = useText(text)
  const flow = useRead('getFlow', { aiFlowId: flowId })
  const isWritten = flow.data?.endpoint === 'assistant'
  const versions = useRead('listAssistantVersions', { aiFlowId: flowId }, { when: isWritten })
  if (!isWritten) return null
  return (
    <NativeSelect
      label={say.endpoint}
      data={[
        { value: '', label: say.live },
        { value: 'draft', label: say.draft },
        ...(versions.data?.items ?? []).map(({ version }) => ({ value: `${version}`, label: say.version(version) })),
      ]}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
