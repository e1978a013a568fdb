/** Assistants that nobody dialled a number for stand with their id where others have a number. */
export const isFlowId = (number: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(number)
