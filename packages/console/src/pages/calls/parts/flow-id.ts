/** An assistant that was called without a number stands with its id where others have a number. */
export const isFlowId = (number: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(number)
