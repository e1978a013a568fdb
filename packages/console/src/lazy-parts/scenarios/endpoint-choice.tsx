import { NativeSelect } from '@mantine/core'
import { useRead, type InputOf } from '#api/use-service.ts'
import { useText } from '#words/use-text.tsx'
import { text } from './text.ts'

/** '': what answers calls now; 'draft'; or the number of a version. */
export type EndpointChoiceValue = string

/** What the service is told of it. */
export const inputOf = (choice: EndpointChoiceValue): Pick<InputOf<'startTestRun'>[1], 'draft' | 'version'> =>
  choice === '' ? {} : choice === 'draft' ? { draft: true } : { version: Number(choice) }

export interface EndpointChoiceProps {
  flowId: string
  value: EndpointChoiceValue
  onChange: (choice: EndpointChoiceValue) => void
}

/** Who is asked. Draws nothing where there is no choice: an endpoint of the customer's is as it is. */
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
