exports.run = async () => undefined;
